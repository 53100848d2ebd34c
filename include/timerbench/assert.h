/* assert.h: preconditions. A broken one is a bug in the caller: one line on standard error, then abort().
   tb_assert is on in every build; tb_debug_assert, for hot paths, only where TB_DEBUG is set (sanitizer and debug builds). */
#ifndef TIMERBENCH_ASSERT_H
#define TIMERBENCH_ASSERT_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) || !defined(__GNUC__)
#define TB_API
#else
#define TB_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
__attribute__((noreturn, cold))
#endif
TB_API void tb_assert_failed(const char *file, int line, const char *condition);

#define tb_assert(condition) ((condition) ? (void)0 : tb_assert_failed(__FILE__, __LINE__, #condition))

#ifdef TB_DEBUG
#define tb_debug_assert(condition) tb_assert(condition)
#else
#define tb_debug_assert(condition) ((void)0)
#endif

#ifdef __cplusplus
}
#endif
#endif

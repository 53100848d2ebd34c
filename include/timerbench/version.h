/* version.h: the version of the headers and of the library built with them (semantic versioning). */
#ifndef TIMERBENCH_VERSION_H
#define TIMERBENCH_VERSION_H
#define TB_VERSION "0.1.0"
#endif

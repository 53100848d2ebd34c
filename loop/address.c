/* address.c: addresses of sockets as text. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <timerbench/loop_handles.h>

static bool read_port(const char *text, uint16_t *port)
{
    unsigned long n = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || n > 65535)
            return false;
        n = n * 10 + (unsigned long)(*text - '0');
    }
    *port = (uint16_t)n;
    return n <= 65535;
}

static bool read_internet(const char *text, tb_address *out)
{
    char host[64];
    const char *colon = strrchr(text, ':');
    uint16_t port;
    if (!colon || !read_port(colon + 1, &port))
        return false;
    bool six = *text == '[';
    size_t length = (size_t)(colon - text) - (six ? 2 : 0);
    if (colon - text < (six ? 3 : 1) || length >= sizeof host || (six && colon[-1] != ']'))
        return false;
    memcpy(host, text + (six ? 1 : 0), length);
    host[length] = 0;
    if (six) {
        struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
        memcpy(out->os.bytes, &a, sizeof a);
        out->len = sizeof a;
        return inet_pton(AF_INET6, host, out->os.bytes + offsetof(struct sockaddr_in6, sin6_addr)) == 1;
    }
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
    memcpy(out->os.bytes, &a, sizeof a);
    out->len = sizeof a;
    return inet_pton(AF_INET, host, out->os.bytes + offsetof(struct sockaddr_in, sin_addr)) == 1;
}

static bool read_path(const char *path, tb_address *out)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof a.sun_path)
        return false;
    memcpy(a.sun_path, path, length + 1);
    memcpy(out->os.bytes, &a, sizeof a);
    out->len = (uint32_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
    return true;
}

bool tb_address_parse(const char *text, tb_address *out)
{
    tb_address a = {0};
    bool sound;
    if (strncmp(text, "unix:", 5) == 0) {
        a.transport = TB_UNIX;
        sound = read_path(text + 5, &a);
    } else if (strncmp(text, "tcp:", 4) == 0 || strncmp(text, "udp:", 4) == 0) {
        a.transport = *text == 't' ? TB_TCP : TB_UDP;
        sound = read_internet(text + 4, &a);
    } else {
        sound = false;
    }
    if (sound)
        *out = a;
    return sound;
}

bool tb_address_format(const tb_address *a, char *out, size_t size)
{
    const char *transport = a->transport == TB_UDP ? "udp" : "tcp";
    char host[64];
    int n;
    if (a->transport == TB_UNIX) {
        struct sockaddr_un u;
        memcpy(&u, a->os.bytes, sizeof u);
        n = snprintf(out, size, "unix:%s", u.sun_path);
    } else if (a->len == sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 s;
        memcpy(&s, a->os.bytes, sizeof s);
        if (!inet_ntop(AF_INET6, &s.sin6_addr, host, sizeof host))
            return false;
        n = snprintf(out, size, "%s:[%s]:%u", transport, host, (unsigned)ntohs(s.sin6_port));
    } else {
        struct sockaddr_in s;
        memcpy(&s, a->os.bytes, sizeof s);
        if (!inet_ntop(AF_INET, &s.sin_addr, host, sizeof host))
            return false;
        n = snprintf(out, size, "%s:%s:%u", transport, host, (unsigned)ntohs(s.sin_port));
    }
    return n > 0 && (size_t)n < size;
}

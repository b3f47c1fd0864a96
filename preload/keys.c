/* Loaded into a program that `unmask run --watch` starts (LD_PRELOAD): has a dynamic OpenSSL write the keys of its TLS sessions to the file that
 * UNMASK_KEY_LOG names, or else SSLKEYLOGFILE, which OpenSSL does not do by itself. A file that the user has named in SSLKEYLOGFILE is left to what
 * the program itself writes there.
 *
 * It stands before SSL_CTX_new and SSL_CTX_new_ex, and sets a key log callback on each context (SSL_CTX_set_keylog_callback(3)). A callback of the
 * program's own is called too, and is what the program reads back.
 *
 * A program may have several libraries of OpenSSL, of several versions. The right one is known by the method of a context (TLS_method(3)), which is
 * a constant in the library that made it. A context of which no library is known to be the right one is left alone: its sessions stay sealed.
 *
 * Nothing is allocated, and no function of the loader is called but dl_iterate_phdr(3): dlsym and dladdr wait for a dlopen of another thread, which
 * runs constructors that may wait for this one. What it lends is not called from within it. So symbols are looked up here, in the tables that the
 * loader itself uses (elf(5)).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;
typedef void (*callback)(const SSL *, const char *);

/* The file, as it was named and as it was when the program began: the name may become that of another one later, and a descriptor that the program
 * closes may become one of its own files. Neither gets keys. */
static char path[4096];
static int file = -1;
static struct stat begun;

static int is_ours(int descriptor) {
    struct stat now;
    return fstat(descriptor, &now) == 0 && now.st_dev == begun.st_dev && now.st_ino == begun.st_ino && now.st_uid == begun.st_uid;
}

static int open_file(const char *name) { return open(name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); }

/* Takes the words out of a list of options that name something in a folder. A word with a blank stands in double quotes. */
static void drop_words(char *words, const char *folder) {
    char *kept = words;
    for (char *word = words; *word;) {
        char *end = word;
        for (int quoted = 0; *end && (quoted || *end != ' '); end++) quoted ^= *end == '"';
        size_t length = (size_t)(end - word);
        if (!memmem(word, length, folder, strlen(folder))) {
            if (kept != words) *kept++ = ' ';
            memmove(kept, word, length);
            kept += length;
        }
        for (word = end; *word == ' '; word++) {}
    }
    *kept = 0;
}

/* The folder of a run is not there for this program: the run is over, or the program has another root or may not read it. Programs that insist on
 * a file that they are given do not start then. So what names the folder goes, where it stands, and the program works as without it. What else the
 * user has set stays. */
static void withdraw(const char *name) {
    static const char *const lists[] = {"NODE_OPTIONS=", "JAVA_TOOL_OPTIONS="};
    static char folder[sizeof path];
    const char *slash = strrchr(name, '/');
    if (!slash || !memmem(name, (size_t)(slash - name), "/unmask-run.", 12)) return;
    memcpy(folder, name, (size_t)(slash - name) + 1);
    for (char **entry = environ; *entry;) {
        const char *value = strchr(*entry, '=');
        if ((strncmp(*entry, "SSLKEYLOGFILE=", 14) == 0 || strncmp(*entry, "UNMASK_KEY_LOG=", 15) == 0) && strcmp(value + 1, name) == 0) {
            for (char **next = entry; (*next = next[1]); next++) {}
            continue;
        }
        for (size_t index = 0; index < sizeof lists / sizeof *lists; index++)
            if (strncmp(*entry, lists[index], strlen(lists[index])) == 0) drop_words(*entry + strlen(lists[index]), folder);
        entry++;
    }
}

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("UNMASK_KEY_LOG");
    if (!name) name = getenv("SSLKEYLOGFILE");
    if (!name || strlen(name) >= sizeof path) return;
    int error = errno;
    int opened = open_file(name);
    if (opened < 0) withdraw(name);
    if (opened >= 0 && fstat(opened, &begun) == 0) strcpy(path, name);
    if (opened >= 0) close(opened);
    errno = error;
}

/* Keeps the file open from the first context on, since a program may give up its rights or its root later. Not before: a shell takes the numbers that
 * it likes (`exec 200>lock`), and makes no context. Out of the way of programs that expect the lowest numbers. */
static void keep_open(void) {
    if (!path[0] || __atomic_load_n(&file, __ATOMIC_ACQUIRE) >= 0) return;
    int error = errno;
    int opened = open_file(path), none = -1;
    if (opened >= 0 && is_ours(opened)) {
        int kept = fcntl(opened, F_DUPFD_CLOEXEC, 960);
        if (kept < 0) kept = fcntl(opened, F_DUPFD_CLOEXEC, 200);
        if (kept >= 0 && !__atomic_compare_exchange_n(&file, &none, kept, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) close(kept);
    }
    if (opened >= 0) close(opened);
    errno = error;
}

/* The tables of symbols of a file that the loader has loaded, and the addresses that it takes. */
struct object {
    ElfW(Addr) base, start, end;
    const ElfW(Sym) *symbols;
    const char *strings;
    const ElfW(Half) *versions;
    const uint32_t *gnu, *sysv;
    const ElfW(Dyn) *dynamic;
};

static struct object object_of(const struct dl_phdr_info *info) {
    struct object object = {.base = info->dlpi_addr, .start = UINTPTR_MAX};
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[index];
        ElfW(Addr) start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        if (part->p_type == PT_DYNAMIC) object.dynamic = (const void *)start;
        if (part->p_type != PT_LOAD) continue;
        if (start < object.start) object.start = start;
        if (end > object.end) object.end = end;
    }
    for (const ElfW(Dyn) *entry = object.dynamic; entry && entry->d_tag != DT_NULL; entry++) {
        /* glibc has made addresses of most offsets; not those of the vDSO, and other loaders of none. */
        ElfW(Addr) place = entry->d_un.d_ptr;
        const void *table = (const void *)(place < info->dlpi_addr ? place + info->dlpi_addr : place);
        switch (entry->d_tag) {
            case DT_SYMTAB: object.symbols = table; break;
            case DT_STRTAB: object.strings = table; break;
            case DT_VERSYM: object.versions = table; break;
            case DT_GNU_HASH: object.gnu = table; break;
            case DT_HASH: object.sysv = table; break;
        }
    }
    return object;
}

static int has(const struct object *object, const void *place) {
    return (ElfW(Addr))place >= object->start && (ElfW(Addr))place < object->end;
}

/* The function with this number, where it has the name, is defined in the file, and is not one of an older version that is kept for old callers. */
static void *function_at(const struct object *object, uint32_t index, const char *name) {
    const ElfW(Sym) *symbol = &object->symbols[index];
    if (symbol->st_shndx == SHN_UNDEF || (symbol->st_info & 15) != STT_FUNC || (object->versions && object->versions[index] & 0x8000)) return NULL;
    return strcmp(object->strings + symbol->st_name, name) == 0 ? (void *)(object->base + symbol->st_value) : NULL;
}

static void *function(const struct object *object, const char *name) {
    if (!object->symbols || !object->strings) return NULL;
    if (object->gnu) {
        uint32_t hash = 5381, count = object->gnu[0], first = object->gnu[1], words = object->gnu[2] * (sizeof(ElfW(Addr)) / 4);
        for (const char *sign = name; *sign; sign++) hash = hash * 33 + (unsigned char)*sign;
        const uint32_t *buckets = object->gnu + 4 + words, *chain = buckets + count;
        uint32_t index = count ? buckets[hash % count] : 0;
        if (index < first || !index) return NULL;
        for (;; index++) {
            uint32_t value = chain[index - first];
            void *found = (value | 1) == (hash | 1) ? function_at(object, index, name) : NULL;
            if (found || value & 1) return found;
        }
    }
    if (!object->sysv) return NULL;
    uint32_t hash = 0, count = object->sysv[0];
    for (const char *sign = name; *sign; sign++) {
        hash = (hash << 4) + (unsigned char)*sign;
        hash = (hash ^ (hash >> 24 & 0xF0)) & 0x0FFFFFFF;
    }
    for (uint32_t index = count ? object->sysv[2 + hash % count] : 0; index; index = object->sysv[2 + count + index]) {
        void *found = function_at(object, index, name);
        if (found) return found;
    }
    return NULL;
}

/* Whether a file names another one among those that it needs. */
static int needs(const struct object *object, const char *library) {
    for (const ElfW(Dyn) *entry = object->dynamic; entry && library && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && strcmp(object->strings + entry->d_un.d_val, library) == 0) return 1;
    return 0;
}

static const char *name_of(const struct object *object) {
    for (const ElfW(Dyn) *entry = object->dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME) return object->strings + entry->d_un.d_val;
    return NULL;
}

/* What there is in one library of OpenSSL. Before 1.1.1 it has no key log. */
struct library {
    ElfW(Addr) start, end;
    void *wanted;
    void (*set)(SSL_CTX *, callback);
    callback (*get)(const SSL_CTX *);
    const void *(*method_of)(const SSL_CTX *);
    SSL_CTX *(*context_of)(const SSL *);
};

static int has_key_log(const struct library *library) { return library->set && library->get && library->method_of && library->context_of; }

/* The libraries that define a function, in the order in which they were loaded; what the caller needs of them; and a library that stands before them
 * with such a function, as ours does. */
enum { most_found = 16 };
struct search {
    const char *name;
    const void *caller;
    struct object calling;
    struct library found[most_found];
    const char *names[most_found];
    int count, is_after_us;
    void *between;
};

static int look(struct dl_phdr_info *info, size_t size, void *data) {
    struct search *search = data;
    (void)size;
    struct object object = object_of(info);
    if (has(&object, search->caller)) search->calling = object;
    if (has(&object, path)) {
        search->is_after_us = 1;
        return 0;
    }
    void *wanted = function(&object, search->name);
    if (!wanted) return 0;
    if (!function(&object, "SSL_CTX_free")) {
        if (search->is_after_us && !search->between) search->between = wanted;
        return 0;
    }
    if (search->count == most_found) return 0;
    search->names[search->count] = name_of(&object);
    search->found[search->count++] = (struct library){
        .start = object.start, .end = object.end, .wanted = wanted, .set = function(&object, "SSL_CTX_set_keylog_callback"),
        .get = function(&object, "SSL_CTX_get_keylog_callback"), .method_of = function(&object, "SSL_CTX_get_ssl_method"),
        .context_of = function(&object, "SSL_get_SSL_CTX")};
    return 0;
}

static void search_for(struct search *search, const char *name, const void *caller) {
    search->name = name;
    search->caller = caller;
    search->count = search->is_after_us = 0;
    search->between = NULL;
    search->calling = (struct object){0};
    dl_iterate_phdr(look, search);
}

static int is_in(const struct library *library, const void *place) { return (ElfW(Addr))place >= library->start && (ElfW(Addr))place < library->end; }

static const struct library *of_method(const struct search *search, const void *method) {
    for (int index = 0; index < search->count; index++)
        if (is_in(&search->found[index], method)) return &search->found[index];
    return NULL;
}

/* The library that made a context. A library that did not reads something else in the place of the method, which does not lie in it. */
static const struct library *of_context(const struct search *search, const SSL_CTX *context) {
    for (int index = 0; index < search->count; index++) {
        const struct library *library = &search->found[index];
        if (context && has_key_log(library) && is_in(library, library->method_of(context))) return library;
    }
    return NULL;
}

/* What the caller would have called, where neither a method nor a context says it: that of the library which it names as needed, or the first one. */
static void *of_caller(const struct search *search) {
    if (search->between) return search->between;
    for (int index = 0; index < search->count; index++)
        if (needs(&search->calling, search->names[index])) return search->found[index].wanted;
    return search->count ? search->found[0].wanted : NULL;
}

/* The libraries whose contexts have our callback: a key line is written without a look at what is loaded. The last one that took some addresses is the
 * one that has them: it may have come in the place of one that was unloaded. */
enum { most_known = 64 };
static struct library known[most_known];
static int claimed;
static char is_there[most_known];

static const struct library *known_at(const void *place) {
    int count = __atomic_load_n(&claimed, __ATOMIC_ACQUIRE);
    for (int index = (count < most_known ? count : most_known) - 1; index >= 0; index--)
        if (__atomic_load_n(&is_there[index], __ATOMIC_ACQUIRE) && is_in(&known[index], place)) return &known[index];
    return NULL;
}

/* Whether it is known from now on. */
static int know(const struct library *library) {
    keep_open();
    const struct library *last = known_at((void *)library->set);
    if (last && last->start == library->start && last->end == library->end && last->set == library->set && last->context_of == library->context_of)
        return 1;
    if (__atomic_load_n(&claimed, __ATOMIC_ACQUIRE) >= most_known) return 0;
    int index = __atomic_fetch_add(&claimed, 1, __ATOMIC_ACQ_REL);
    if (index >= most_known) return 0;
    known[index] = *library;
    __atomic_store_n(&is_there[index], 1, __ATOMIC_RELEASE);
    return 1;
}

/* The callbacks of the program's own. Contexts beyond the table have theirs instead of ours. */
enum { most = 4096 };
static struct { SSL_CTX *context; callback function; } own[most];
static int used;

static int own_place(const SSL_CTX *context) {
    int count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
    for (int index = 0; index < count && index < most; index++)
        if (__atomic_load_n(&own[index].context, __ATOMIC_ACQUIRE) == context) return index;
    return -1;
}

static int add_own(SSL_CTX *context) {
    int index = own_place(context);
    if (index >= 0 || __atomic_load_n(&used, __ATOMIC_ACQUIRE) >= most) return index;
    index = __atomic_fetch_add(&used, 1, __ATOMIC_ACQ_REL);
    if (index >= most) return -1;
    __atomic_store_n(&own[index].context, context, __ATOMIC_RELEASE);
    return index;
}

/* A line is one write, so that the lines of several processes do not mix. A limit on the size of files must not end the program. */
static void write_to_file(const char *line) {
    const int held = __atomic_load_n(&file, __ATOMIC_ACQUIRE);
    int target = held;
    if (target < 0 || !is_ours(target)) {
        target = path[0] ? open_file(path) : -1;
        if (target < 0) return;
        if (!is_ours(target)) {
            close(target);
            return;
        }
    }
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigaddset(&limit, SIGPIPE);
    sigpending(&pending);
    if (pthread_sigmask(SIG_BLOCK, &limit, &before) == 0) {
        struct iovec parts[2] = {{(void *)line, strlen(line)}, {"\n", 1}};
        if (writev(target, parts, 2) < 0 && (errno == EFBIG || errno == EPIPE)) {
            int number = errno == EFBIG ? SIGXFSZ : SIGPIPE;
            struct timespec none = {0, 0};
            sigset_t one;
            sigemptyset(&one);
            sigaddset(&one, number);
            if (!sigismember(&pending, number)) sigtimedwait(&one, NULL, &none);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (target != held) close(target);
}

static void write_line(const SSL *session, const char *line) {
    int error = errno;
    if (path[0]) write_to_file(line);
    const struct library *library = __atomic_load_n(&used, __ATOMIC_ACQUIRE) ? known_at(__builtin_return_address(0)) : NULL;
    int index = library ? own_place(library->context_of(session)) : -1;
    callback function = index >= 0 ? own[index].function : NULL;
    errno = error;
    if (function) function(session, line);
}

static SSL_CTX *watched(SSL_CTX *context, const struct library *library) {
    if (!context) return context;
    /* Another context was at this address before. */
    int index = own_place(context);
    if (index >= 0) own[index].function = NULL;
    if (library && has_key_log(library) && is_in(library, library->method_of(context)) && know(library)) library->set(context, write_line);
    return context;
}

void SSL_CTX_set_keylog_callback(SSL_CTX *context, callback function) {
    struct search search;
    search_for(&search, "SSL_CTX_set_keylog_callback", __builtin_return_address(0));
    const struct library *library = of_context(&search, context);
    int index = library && know(library) ? add_own(context) : -1;
    if (index >= 0) own[index].function = function;
    void (*set)(SSL_CTX *, callback) = library ? library->set : of_caller(&search);
    if (set) set(context, index >= 0 ? write_line : function);
}

callback SSL_CTX_get_keylog_callback(const SSL_CTX *context) {
    int index = own_place(context);
    if (index >= 0) return own[index].function;
    struct search search;
    search_for(&search, "SSL_CTX_get_keylog_callback", __builtin_return_address(0));
    const struct library *library = of_context(&search, context);
    callback (*get)(const SSL_CTX *) = library ? library->get : of_caller(&search);
    callback function = get ? get(context) : NULL;
    return function == write_line ? NULL : function;
}

SSL_CTX *SSL_CTX_new(const void *method) {
    struct search search;
    search_for(&search, "SSL_CTX_new", __builtin_return_address(0));
    const struct library *library = of_method(&search, method);
    SSL_CTX *(*make)(const void *) = library && !search.between ? library->wanted : of_caller(&search);
    return make ? watched(make(method), library) : NULL;
}

/* In OpenSSL 3 SSL_CTX_new ends with a jump here. */
SSL_CTX *SSL_CTX_new_ex(void *context, const char *properties, const void *method) {
    struct search search;
    search_for(&search, "SSL_CTX_new_ex", __builtin_return_address(0));
    const struct library *library = of_method(&search, method);
    SSL_CTX *(*make)(void *, const char *, const void *) = library && !search.between ? library->wanted : of_caller(&search);
    return make ? watched(make(context, properties, method), library) : NULL;
}

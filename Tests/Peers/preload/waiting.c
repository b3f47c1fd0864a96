/* A plugin whose constructor waits for a thread that uses OpenSSL: the loader is locked meanwhile. */
#include <pthread.h>

const char *use(const char *);

static void *work(void *wrong) {
    *(const char **)wrong = use("CLIENT_RANDOM of a constructor");
    return NULL;
}

__attribute__((constructor)) static void begin(void) {
    const char *wrong = "not begun";
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, &wrong) == 0) pthread_join(thread, NULL);
}

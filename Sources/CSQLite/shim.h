#include <sqlite3.h>

/// What a connection to a stranger's file is told, which sqlite3_db_config() takes as variable arguments, and Swift has none: the file's own schema
/// may run nothing that reaches beyond it, and nothing may change its inside.
static inline int sqlite3_defend(sqlite3 *connection) {
    int status = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
    return status;
}

/// SQLite counts the bytes that it allocates under one lock for all threads, unless sqlite3_config() says otherwise before the first connection is
/// opened (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html); that takes variable arguments too.
static inline int sqlite3_omit_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/* Runs a file of SQL statements in memory and prints every row: `sqlite FILE SIZE`.
 * The statements see the size as the function `size()`, and can fold many values into one with `digest(...)`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static void sql_size(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    (void)values;
    sqlite3_result_int(context, *(int *)sqlite3_user_data(context));
}

/* An aggregate: FNV-1a over the text of all arguments of all rows. */
typedef struct {
    sqlite3_uint64 sum;
    sqlite3_int64 rows;
} Digest;

static void digest_step(sqlite3_context *context, int count, sqlite3_value **values) {
    Digest *digest = sqlite3_aggregate_context(context, sizeof *digest);
    if (!digest) return sqlite3_result_error_nomem(context);
    if (digest->rows++ == 0) digest->sum = 0xcbf29ce484222325u;
    for (int i = 0; i < count; i++) {
        const unsigned char *text = sqlite3_value_text(values[i]);
        for (int at = 0, size = sqlite3_value_bytes(values[i]); at < size; at++)
            digest->sum = (digest->sum ^ text[at]) * 0x100000001b3u;
        digest->sum = (digest->sum ^ 0xff) * 0x100000001b3u;
    }
}

static void digest_final(sqlite3_context *context) {
    Digest *digest = sqlite3_aggregate_context(context, 0);
    char *text = digest ? sqlite3_mprintf("%lld rows %016llx", digest->rows, digest->sum) : sqlite3_mprintf("no rows");
    sqlite3_result_text(context, text, -1, sqlite3_free);
}

/* A collation: backwards. */
static int compare_backwards(void *unused, int left_size, const void *left, int right_size, const void *right) {
    const char *a = left, *b = right;
    (void)unused;
    while (left_size && right_size) {
        int difference = (unsigned char)a[--left_size] - (unsigned char)b[--right_size];
        if (difference) return difference;
    }
    return left_size - right_size;
}

static void print_value(sqlite3_stmt *statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: printf("null"); break;
    case SQLITE_INTEGER: printf("%lld", sqlite3_column_int64(statement, column)); break;
    case SQLITE_FLOAT: printf("%.15g", sqlite3_column_double(statement, column)); break;
    case SQLITE_BLOB: {
        const unsigned char *bytes = sqlite3_column_blob(statement, column);
        printf("x'");
        for (int at = 0, size = sqlite3_column_bytes(statement, column); at < size; at++) printf("%02x", bytes[at]);
        printf("'");
        break;
    }
    default: printf("%s", (const char *)sqlite3_column_text(statement, column));
    }
}

/* Runs all statements; an error is printed and the next statement runs, since errors are part of the test. */
static int run(sqlite3 *db, const char *sql) {
    int errors = 0;
    while (*sql) {
        sqlite3_stmt *statement = NULL;
        const char *rest = sql;
        int status = sqlite3_prepare_v2(db, sql, -1, &statement, &rest);
        if (status == SQLITE_OK && statement) {
            while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
                for (int column = 0; column < sqlite3_column_count(statement); column++) {
                    if (column) printf("|");
                    print_value(statement, column);
                }
                printf("\n");
            }
            status = sqlite3_finalize(statement);
        }
        if (status != SQLITE_OK) {
            printf("error %d: %s\n", status, sqlite3_errmsg(db));
            errors++;
            /* After a syntax error there is no way to know where the next statement starts. */
            if (rest == sql) break;
        }
        sql = rest;
    }
    return errors;
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    size_t size = 0, room = 4096;
    char *text = malloc(room + 1);
    while (text && !feof(file)) {
        size += fread(text + size, 1, room - size, file);
        if (size == room) text = realloc(text, (room *= 2) + 1);
    }
    fclose(file);
    if (text) text[size] = 0;
    return text;
}

int main(int argc, char **argv) {
    sqlite3 *db;
    int size = argc > 2 ? atoi(argv[2]) : 0;
    char *sql = size > 0 ? read_file(argv[1]) : NULL;
    if (!sql) {
        fprintf(stderr, "usage: %s FILE SIZE\n", argv[0]);
        return 2;
    }
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 2;
    sqlite3_create_function(db, "size", 0, SQLITE_UTF8 | SQLITE_DETERMINISTIC, &size, sql_size, NULL, NULL);
    sqlite3_create_function(db, "digest", -1, SQLITE_UTF8, NULL, NULL, digest_step, digest_final);
    sqlite3_create_collation(db, "backwards", SQLITE_UTF8, NULL, compare_backwards);
    int errors = run(db, sql);
    printf("%d errors, %d changes\n", errors, sqlite3_total_changes(db));
    sqlite3_close(db);
    free(sql);
    return errors;
}

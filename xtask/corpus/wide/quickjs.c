/* Runs a script and prints what the script prints. */
#include "quickjs.h"
#include <stdio.h>
#include <stdlib.h>

static JSValue print(JSContext *context, JSValueConst self, int count, JSValueConst *values) {
    (void)self;
    for (int i = 0; i < count; i++) {
        const char *text = JS_ToCString(context, values[i]);
        if (!text) return JS_EXCEPTION;
        printf(i ? " %s" : "%s", text);
        JS_FreeCString(context, text);
    }
    putchar('\n');
    return JS_UNDEFINED;
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = malloc(1 << 20);
    *size = fread(text, 1, (1 << 20) - 1, file);
    text[*size] = 0;
    fclose(file);
    return text;
}

int main(int argc, char **argv) {
    size_t size;
    char *text = argc > 1 ? read_file(argv[1], &size) : NULL;
    if (!text) return 2;
    JSRuntime *runtime = JS_NewRuntime();
    /* Frames of unoptimized code are large. */
    JS_SetMaxStackSize(runtime, 4 << 20);
    JSContext *context = JS_NewContext(runtime);
    JSValue global = JS_GetGlobalObject(context);
    JS_SetPropertyStr(context, global, "print", JS_NewCFunction(context, print, "print", 1));
    JS_FreeValue(context, global);
    JSValue result = JS_Eval(context, text, size, argv[1], JS_EVAL_TYPE_GLOBAL);
    JSContext *pending;
    while (JS_ExecutePendingJob(runtime, &pending) > 0) {
    }
    int failed = JS_IsException(result);
    if (failed) {
        JSValue exception = JS_GetException(context);
        const char *message = JS_ToCString(context, exception);
        fprintf(stderr, "exception: %s\n", message ? message : "?");
        JS_FreeCString(context, message);
        JS_FreeValue(context, exception);
    }
    JS_FreeValue(context, result);
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
    free(text);
    return failed;
}

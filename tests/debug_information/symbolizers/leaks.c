// Loses memory that several functions have reserved, and reads memory that is not its own.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char *name;
};

static char *copy(const char *text) {
    char *memory = malloc(strlen(text) + 1);
    return strcpy(memory, text);
}

static struct node *make(const char *name, struct node *next) {
    struct node *node = malloc(sizeof *node);
    node->next = next;
    node->name =
        copy(name);
    return node;
}

__attribute__((noinline)) static int read_after(const int *numbers, int count) {
    int sum = 0;
    for (int i = 0; i <= count; i++)
        sum += numbers[i] != 0;
    return sum;
}

__attribute__((noinline)) static void use_freed(struct node *node) {
    free(node->name);
    puts(node->name[0] == 'x' ? "x" : "not x");
}

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) {
        list = make("first", list);
        list = make("second", list);
    }
    int *numbers = calloc(4, sizeof *numbers);
    printf("%d\n", read_after(numbers, 4));
    numbers = realloc(numbers, 64);
    use_freed(list);
    list = NULL;
    return numbers == NULL;
}

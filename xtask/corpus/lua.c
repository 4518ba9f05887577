/* A small Lua interpreter: `lua SCRIPT ARGUMENT...`, with the arguments in the table `arg`. */
#include <stdio.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

/* Adds the place to an error's message. */
static int on_error(lua_State *state) {
    const char *message = lua_tostring(state, 1);
    luaL_traceback(state, state, message ? message : "(an error that is no text)", 1);
    return 1;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s SCRIPT ARGUMENT...\n", argv[0]);
        return 2;
    }
    lua_State *state = luaL_newstate();
    if (!state) return 2;
    luaL_openlibs(state);
    lua_createtable(state, argc - 2, 0);
    for (int i = 2; i < argc; i++) {
        lua_pushstring(state, argv[i]);
        lua_rawseti(state, -2, i - 1);
    }
    lua_setglobal(state, "arg");
    lua_pushcfunction(state, on_error);
    int status = luaL_loadfile(state, argv[1]);
    if (status == LUA_OK) status = lua_pcall(state, 0, 1, 1);
    int result = status;
    if (status != LUA_OK)
        fprintf(stderr, "%s\n", lua_tostring(state, -1));
    else if (lua_isinteger(state, -1))
        result = (int)lua_tointeger(state, -1);
    lua_close(state);
    return result;
}

# A session of gdb: stops at the given lines of a program, and says at each stop where it is and what variables are.
#
# Parameters come by the environment: FRAZIL_LINES (numbers of lines, with commas), FRAZIL_SOURCE (the source file) and
# FRAZIL_STOPS (at how many stops to end). Each line of output begins with a word: `stop`, `variable` or `end`.
# Addresses are left out, since they differ from program to program; so are variables that are declared at or after the
# current line, which are not initialised yet.

import os
import re

import gdb

for setting in ["pagination off", "debuginfod enabled off", "confirm off", "print elements 40", "print repeats 0",
                "print address off", "print symbol off", "breakpoint pending off", "disable-randomization on",
                "max-value-size 65536"]:
    try:
        gdb.execute("set " + setting)
    except gdb.error:
        pass

SOURCE = os.environ["FRAZIL_SOURCE"]
STOPS = int(os.environ["FRAZIL_STOPS"])
ADDRESS = re.compile(r"0x[0-9a-f]+")


def describe(value):
    """A value as text without addresses."""
    text = value.format_string(max_elements=40, address=False, symbols=False)
    return ADDRESS.sub("ADDRESS", text).replace("\n", " ")[:300]


def show_variables(frame, line):
    """Prints the variables of a frame, from the innermost block out to the function."""
    try:
        block = frame.block()
    except RuntimeError:
        return
    seen = set()
    while block is not None and block.function is None or block is not None:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument) or symbol.name in seen:
                continue
            seen.add(symbol.name)
            if not symbol.is_argument and symbol.line >= line:
                continue
            try:
                text = describe(frame.read_var(symbol, block))
            except (gdb.error, RuntimeError, ValueError) as error:
                text = "<error: %s>" % ADDRESS.sub("ADDRESS", str(error))
            print("variable %s %s" % (symbol.name, text))
        if block.function is not None:
            break
        block = block.superblock


def run():
    """Runs the program from stop to stop."""
    for line in os.environ["FRAZIL_LINES"].split(","):
        try:
            gdb.execute("break %s:%s" % (SOURCE, line), to_string=True)
        except gdb.error:
            print("missing %s" % line)
    gdb.execute("run > /dev/null 2>&1 < /dev/null", to_string=True)
    for _ in range(STOPS):
        if not gdb.selected_inferior().pid:
            break
        frame = gdb.selected_frame()
        line = frame.find_sal().line
        print("stop %s %d" % (frame.name(), line))
        show_variables(frame, line)
        gdb.execute("continue", to_string=True)
    print("end")


try:
    run()
except gdb.error as error:
    print("error %s" % error)
gdb.execute("kill") if gdb.selected_inferior().pid else None

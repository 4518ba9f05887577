# A session of gdb: stops at places of a program, and says at each stop where it is and what variables are.
#
# Parameters come by the environment: FRAZIL_SOURCE (the source file), FRAZIL_STOPS (at how many stops to end), and
# either FRAZIL_LINES (numbers of lines, with commas) or FRAZIL_POINTS (a file with an address, a line and a column in
# each row); with FRAZIL_STUB, the program does not run here but waits at a socket of that name. Each line of output begins with a word: `stop`, `variable` or `end`. With the name of a variable is the
# line where it is declared, 0 for parameters. Addresses are left out, since they
# differ from program to program, but for the symbols that they belong to, and if these are data, where in them; so is
# what characters there are at an address, which may go on beyond the object. Left out, too, are variables that are declared at or after the current
# line, which are not initialised yet.

import os
import re
import time

import gdb

for setting in ["pagination off", "debuginfod enabled off", "confirm off", "print elements 40", "print repeats 0",
                "breakpoint pending off", "disable-randomization on", "max-value-size 65536"]:
    try:
        gdb.execute("set " + setting)
    except gdb.error:
        pass

SOURCE = os.environ["FRAZIL_SOURCE"]
STOPS = int(os.environ["FRAZIL_STOPS"])
STUB = os.environ.get("FRAZIL_STUB")
# How often it is tried to connect: for a minute on a machine that has much to do.
ATTEMPTS = 1200
CHARACTERS = r'"(?:[^"\\]|\\.)*"(?:\.\.\.)?|<incomplete sequence [^>]*>'
ADDRESS = re.compile(r'0x[0-9a-f]+( <(?!incomplete)(?:[^<>]|<[^<>]*>)*>)?(?:,? (?:%s))*' % CHARACTERS)


def without_address(match):
    """What stands for an address: the symbol that it belongs to, and whether it is one."""
    if match.group(0) == "0x0":
        return "0x0"
    symbol = match.group(1) or ""
    if "+" in symbol and gdb.block_for_pc(int(match.group(0).split()[0], 16)) is not None:
        symbol = symbol.rsplit("+", 1)[0] + ">"
    return "ADDRESS" + symbol


def describe(value):
    """A value as text without addresses."""
    if value.is_optimized_out:
        return "<optimized out>"
    text = value.format_string(max_elements=40, address=True, symbols=True)
    return ADDRESS.sub(without_address, text).replace("\n", " ")[:300]


def show_variables(frame, line):
    """Prints the variables of a frame, from the innermost block out to the function."""
    try:
        block = frame.block()
    except RuntimeError:
        return
    seen = set()
    while block is not None:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument) or symbol.name in seen:
                continue
            seen.add(symbol.name)
            # Of what compilers declare, it is not known where it is initialised.
            if not symbol.is_argument and not 0 < symbol.line < line:
                continue
            try:
                text = describe(frame.read_var(symbol, block))
            except (gdb.error, RuntimeError, ValueError) as error:
                text = "<error: %s>" % ADDRESS.sub(without_address, str(error))
            print("variable %s:%d %s" % (symbol.name, 0 if symbol.is_argument else symbol.line, text))
        if block.function is not None:
            break
        block = block.superblock


def points():
    """The points at which to stop, by address: line and column."""
    found = {}
    with open(os.environ["FRAZIL_POINTS"], encoding="utf-8") as rows:
        for row in rows:
            address, line, column = row.split()
            found[int(address, 16)] = (int(line), int(column))
    return found


def set_breakpoints():
    """Sets the breakpoints, and says which points there are at which addresses."""
    if "FRAZIL_POINTS" in os.environ:
        found = points()
        for address in found:
            gdb.execute("break *0x%x" % address, to_string=True)
        return found
    for line in os.environ["FRAZIL_LINES"].split(","):
        try:
            gdb.execute("break %s:%s" % (SOURCE, line), to_string=True)
        except gdb.error:
            print("missing %s" % line)
    return {}


def connect(stub):
    """Connects to an emulator that may be about to make its socket."""
    for _ in range(ATTEMPTS):
        try:
            gdb.execute("target remote " + stub, to_string=True)
            return
        except gdb.error as error:
            refusal = error
            time.sleep(0.05)
    raise refusal


def start():
    """Runs the program to the first stop."""
    if STUB is None:
        gdb.execute("run > /dev/null 2>&1 < /dev/null", to_string=True)
        return
    # Libraries cannot be had from the emulator, and nothing in them is looked at. Without them, nobody knows how their
    # classes are shown, but as what they are; where compilers put static members among the others is their affair.
    gdb.execute("set auto-solib-add off")
    gdb.execute("set print static-members off")
    connect(STUB)
    gdb.execute("continue", to_string=True)


def run():
    """Runs the program from stop to stop."""
    known = set_breakpoints()
    start()
    for _ in range(STOPS):
        if not gdb.selected_inferior().pid:
            break
        frame = gdb.selected_frame()
        line, column = known.get(frame.pc(), (frame.find_sal().line, None))
        print("stop %s %d" % (frame.name(), line) + (":%d" % column if column is not None else ""))
        show_variables(frame, line)
        gdb.execute("continue", to_string=True)
    print("end")


try:
    run()
except gdb.error as error:
    print("error %s" % error)
gdb.execute("kill") if gdb.selected_inferior().pid else None

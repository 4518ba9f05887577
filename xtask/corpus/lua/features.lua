-- One of everything: what the other scripts do not reach.
print(7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2, -7.5 % 2, 2 ^ 10, 7 / 2, 1 // 0.0, -1 % math.huge)
print(1 << 62, 1 << 64, -1 >> 60, ~5, 6 & 3, 6 | 3, 6 ~ 3, "10" + 5, "0x10" * 2, 10 .. 20)
print(math.maxinteger + 1 == math.mininteger, math.maxinteger // -1, math.mininteger // -1, math.ult(1, -1))
print(math.type(1), math.type(1.0), math.type("1"), math.tointeger(3.0), math.tointeger(3.5), 3 | 0, 2 ^ 53 | 0)
print(math.floor(-3.5), math.ceil(-3.5), math.fmod(-7, 3), math.modf(3.75), math.abs(math.mininteger), math.sqrt(2))
print(("%.14g %.3f %5.1f %g"):format(math.pi, math.exp(1), math.log(100, 10), 2 ^ -1074))
print(1e15, 1e16, 123456789012345678, 0.1, -0.0, 1 / 0, -1 / 0, 3 == 3.0, "1" == 1, 1 < 1.5, 2 ^ 63 > math.maxinteger)
print(pcall(function() return 1 // 0 end))
print(pcall(function() return 1 % 0 end))
print(pcall(function() return {} + 1 end))
print(pcall(function() return ("x").y.z end))
print(pcall(function() return #5 end))
print(pcall(function() return 1 < "2" end))
print(pcall(function() return 2 ^ 53 | 1.5 end))
print(pcall(error, { code = 7 }) == false, select(2, pcall(error, "message", 0)), select("#", pcall(error)))
print(xpcall(function() error("inner") end, function(message) return "handled: " .. message end))
print(select("#", nil, nil), select(-1, "a", "b"), table.unpack({ 1, 2, 3 }, 2))

local function variadic(...)
  local first, second = ...
  local packed = table.pack(...)
  return packed.n, first, second, (select("#", ...))
end
print(variadic(), variadic(nil, nil), (variadic(1, 2, 3)))

local function tail(n) if n == 0 then return "done" end return tail(n - 1) end
print(tail(100000))
print(pcall(function() local function deep(n) return 1 + deep(n + 1) end return deep(1) end) == false)

for i = 3, 1, -1 do for j = 1, 3 do if j == 2 then goto continue end io.write(i, j, " ") ::continue:: end end
print()
for x = 1.0, 2.0, 0.25 do io.write(x, " ") end
print()
do
  local log = {}
  do
    local a <close> = setmetatable({}, { __close = function() log[#log + 1] = "a" end })
    local b <close> = setmetatable({}, { __close = function() log[#log + 1] = "b" end })
    local limit <const> = 5
    log[#log + 1] = limit
  end
  print(table.concat(log, ","))
end

local co = coroutine.create(function(a, b)
  local c = coroutine.yield(a + b)
  local d, e = coroutine.yield(c * 2)
  error("at the end " .. d + e)
end)
print(coroutine.resume(co, 1, 2))
print(coroutine.resume(co, 10))
print(coroutine.resume(co, 3, 4))
print(coroutine.status(co), coroutine.resume(co), coroutine.isyieldable())
local pairs_proxy = setmetatable({}, { __pairs = function() return function(_, k) k = (k or 0) + 1 if k < 4 then return k, k * k end end end })
for k, v in pairs(pairs_proxy) do io.write(k, "=", v, " ") end
print()

local default = setmetatable({}, { __index = function(_, key) return key .. "?" end, __newindex = function(t, k, v) rawset(t, k, v + 1) end })
default.x = 1
print(default.x, default.y, rawget(default, "y"), rawlen({ 1, 2 }), rawequal(default, default))
print(table.concat(table.move({ 1, 2, 3 }, 1, 3, 2), " "), table.remove({ 4, 5, 6 }, 1), #table.pack())
local list = { 5, 2, 8, 1 }
table.insert(list, 1, 9)
table.insert(list, 4)
table.sort(list)
print(table.concat(list, " "))

local chunk = load("local a = ... ; return a * 2, _ENV", "piece", "t", { marker = 1 })
local doubled, environment = chunk(21)
print(doubled, environment.marker, load("return +"))
local dumped = string.dump(function(x) return x + 1 end)
print(load(dumped, "dumped", "b")(41))
print(tostring(nil), tostring(true), tostring(12), tostring(-0.0), type(print), type(io.stdout))
print(string.format("%q", 1 / 3), string.format("%a", 1.0), string.format("%i", 3.0), #string.format("%p", {}) > 2)
print(next({}), type(next), rawequal("a", "a"), #"\u{48}\x49\z
       \065", "a\tb\\")
print(os.time({ year = 2020, month = 1, day = 1, hour = 12 }) - os.time({ year = 2019, month = 1, day = 1, hour = 12 }))
print(os.date("!%Y-%m-%d %H:%M:%S", 86400 * 365), os.getenv("NO_SUCH_VARIABLE_HERE"))
local finalized = 0
for _ = 1, 50 do setmetatable({}, { __gc = function() finalized = finalized + 1 end }) end
collectgarbage()
collectgarbage("generational")
for _ = 1, 2000 do local _ = { {} } end
collectgarbage("incremental")
collectgarbage()
print(finalized)
print(debug.getinfo(1, "S").what, debug.getinfo(print).what, (debug.traceback("trace"):match("^trace")))
-- Becomes the exit status.
return 42

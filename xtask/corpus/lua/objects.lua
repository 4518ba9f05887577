-- Tables with methods, inheritance, closures, coroutines, sorting, weak tables.
local n = tonumber(arg[1])

local Shape = {}
Shape.__index = Shape
function Shape.new(width) return setmetatable({ width = width }, Shape) end
function Shape:area() return 0 end
function Shape:describe() return ("%s %d"):format(self:name(), self:area()) end
function Shape:name() return "shape" end

local Square = setmetatable({}, { __index = Shape })
Square.__index = Square
function Square.new(width) return setmetatable(Shape.new(width), Square) end
function Square:area() return self.width * self.width end
function Square:name() return "square" end

local Vector = {}
Vector.__index = Vector
local function vector(x, y) return setmetatable({ x = x, y = y }, Vector) end
function Vector.__add(a, b) return vector(a.x + b.x, a.y + b.y) end
function Vector.__mul(a, k) return vector(a.x * k, a.y * k) end
function Vector.__eq(a, b) return a.x == b.x and a.y == b.y end
function Vector.__lt(a, b) return a.x < b.x end
function Vector.__len(a) return a.x * a.x + a.y * a.y end
function Vector.__call(a, k) return a.x + k end
function Vector.__tostring(a) return ("(%g, %g)"):format(a.x, a.y) end

local area = 0
for i = 1, n do
  local shape = i % 3 == 0 and Shape.new(i) or Square.new(i % 100)
  area = area + shape:area()
end
print(area, Square.new(5):describe(), Shape.new(5):describe())

local position = vector(0, 0)
for i = 1, n do position = position + vector(i % 7, -i % 5) * 0.5 end
print(tostring(position), position == vector(1, 2), vector(1, 2) < vector(2, 1), #vector(3, 4), position(1) > 0)

local function counter()
  local value = 0
  return function(step) value = value + step return value end, function() return value end
end
local add, current = counter()
for i = 1, n do add(i % 3) end
print(current())

-- Primes through a chain of coroutines.
local function generate() return coroutine.wrap(function() for i = 2, math.huge do coroutine.yield(i) end end) end
local function sieve(prime, source)
  return coroutine.wrap(function()
    while true do
      local candidate = source()
      if candidate % prime ~= 0 then coroutine.yield(candidate) end
    end
  end)
end
local source, primes = generate(), {}
for i = 1, 20 + n // 2000 do
  primes[i] = source()
  source = sieve(primes[i], source)
end
print(table.concat(primes, " ", 1, 20), primes[#primes])

local values, seed = {}, 12345
for i = 1, n do
  seed = (seed * 1103515245 + 12345) % 2147483648
  values[i] = seed % 10007
end
table.sort(values)
for i = 2, n do assert(values[i - 1] <= values[i]) end
table.sort(values, function(a, b) return a > b end)
print(values[1], values[n // 2], values[n])

local weak = setmetatable({}, { __mode = "k" })
for i = 1, n do weak[{}] = i end
collectgarbage()
collectgarbage()
print(next(weak))

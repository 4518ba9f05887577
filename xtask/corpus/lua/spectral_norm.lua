-- The largest singular value of an infinite matrix, cut to n by n: calls in inner loops, divisions.
local n = tonumber(arg[1])

local function entry(i, j)
  local ij = i + j - 1
  return 1.0 / (ij * (ij - 1) * 0.5 + i)
end

local function multiply(x, y, transposed)
  for i = 1, n do
    local sum = 0
    for j = 1, n do
      sum = sum + x[j] * (transposed and entry(j, i) or entry(i, j))
    end
    y[i] = sum
  end
end

local u, v, t = {}, {}, {}
for i = 1, n do u[i] = 1 end
for _ = 1, 10 do
  multiply(u, t, false)
  multiply(t, v, true)
  multiply(v, t, false)
  multiply(t, u, true)
end
local product, square = 0, 0
for i = 1, n do
  product = product + u[i] * v[i]
  square = square + v[i] * v[i]
end
print(("%.9f"):format(math.sqrt(product / square)))

-- Many short-lived trees: allocation and garbage collection.
local depth_limit = tonumber(arg[1])

local function grow(depth)
  if depth == 0 then return {} end
  return { grow(depth - 1), grow(depth - 1) }
end

local function count(tree)
  if not tree[1] then return 1 end
  return 1 + count(tree[1]) + count(tree[2])
end

local function report(what, depth, nodes) print(("%s of depth %d\t nodes: %d"):format(what, depth, nodes)) end

report("stretch tree", depth_limit + 1, count(grow(depth_limit + 1)))
local long_lived = grow(depth_limit)
for depth = 4, depth_limit, 2 do
  local times, nodes = 1 << (depth_limit - depth + 4), 0
  for _ = 1, times do nodes = nodes + count(grow(depth)) end
  report(times .. "\t trees", depth, nodes)
end
report("long lived tree", depth_limit, count(long_lived))
collectgarbage()
print(collectgarbage("count") > 0)

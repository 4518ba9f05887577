-- Pancake flips over all permutations of 1..n, some times: integer work on small arrays.
local n, times = tonumber(arg[1]), tonumber(arg[2] or 1)

local function fannkuch(n)
  local perm, count, work = {}, {}, {}
  for i = 1, n do perm[i], count[i] = i, i end
  local sign, checksum, most = 1, 0, 0
  while true do
    local first = perm[1]
    if first ~= 1 then
      for i = 1, n do work[i] = perm[i] end
      local flips = 0
      repeat
        local low, high = 1, first
        while low < high do
          work[low], work[high] = work[high], work[low]
          low, high = low + 1, high - 1
        end
        flips = flips + 1
        first = work[1]
      until first == 1
      if flips > most then most = flips end
      checksum = checksum + sign * flips
    end
    sign = -sign
    -- The next permutation: rotate the first two entries; a prefix that has been all around carries to a longer one.
    local length = 2
    while true do
      if length > n then return checksum, most end
      local moved = perm[1]
      for i = 1, length - 1 do perm[i] = perm[i + 1] end
      perm[length] = moved
      count[length] = count[length] - 1
      if count[length] > 0 then break end
      count[length] = length
      length = length + 1
    end
  end
end

for _ = 1, times do
  local checksum, most = fannkuch(n)
  print(("%d\nPfannkuchen(%d) = %d"):format(checksum, n, most))
end

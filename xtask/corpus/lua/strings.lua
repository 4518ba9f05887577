-- Text: building, searching, patterns, formatting, packing.
local n = tonumber(arg[1])
math.randomseed(42)

local words = {}
for i = 1, n do
  local letters = {}
  for k = 1, 1 + (i * 7) % 11 do letters[k] = string.char(97 + (i * k * k + k * 3) % 26) end
  words[i] = table.concat(letters)
end
local text = table.concat(words, " ")
print(#text, text:sub(1, 60))

local frequency = {}
for word in text:gmatch("%a+") do frequency[word] = (frequency[word] or 0) + 1 end
local ranked = {}
for word, times in pairs(frequency) do ranked[#ranked + 1] = { word, times } end
table.sort(ranked, function(a, b)
  if a[2] ~= b[2] then return a[2] > b[2] end
  return a[1] < b[1]
end)
for i = 1, math.min(5, #ranked) do print(ranked[i][1], ranked[i][2]) end

local changed, times = text:gsub("(%a)(%a)", "%2%1")
print(times, changed:sub(1, 40))
print(select(2, text:gsub("%f[%a]%a%a%f[%A]", string.upper)))
print((text:gsub("%a+", function(word) if #word > 9 then return "<" .. #word .. ">" end end)):sub(1, 80))
print(text:find("abc", 1, true), text:match("(%a+) (%a+)$"))
print(("%5d|%-8s|%08.3f|%x|%q|%g|%e"):format(42, "left", 3.14159, 48879, 'quo"te\n', 1e20, 12345.678))
print(("x"):rep(10, "-"), ("abc"):reverse(), ("MiXed"):lower(), ("MiXed"):upper(), ("abc"):byte(1, -1))

local packed = string.pack("<i2 >I4 d z s1", -300, 0xdeadbeef, 2.5, "zero", "counted")
print(#packed, string.unpack("<i2 >I4 d z s1", packed))
print(utf8.char(72, 228, 8364, 128512), utf8.len("häß€"), utf8.codepoint("€", 1))
for position, code in utf8.codes("aé€") do io.write(position, ":", code, " ") end
print()

-- A checksum over rolling pieces, as bytes and as integers.
local sum = 0
for round = 1, 3 do
  for i = 1, #text, 16 do
    for k = i, math.min(i + 15, #text) do sum = (sum * 31 + text:byte(k) + round) & 0xffffffffffff end
  end
end
print(sum)
local parts = {}
for i = 1, n do parts[i] = tostring(i * 1.25) .. tostring(i) end
print(#table.concat(parts, ","), tonumber("0x1p4"), tonumber("  12  "), tonumber("1e1"), tonumber("z", 36), tonumber("9z"))

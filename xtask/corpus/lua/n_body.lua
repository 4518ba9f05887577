-- Planets under gravity: floating-point work on table fields.
local steps = tonumber(arg[1])
local sqrt, pi = math.sqrt, math.pi
local solar_mass, year = 4 * pi * pi, 365.24

local function body(x, y, z, vx, vy, vz, mass)
  return { x = x, y = y, z = z, vx = vx * year, vy = vy * year, vz = vz * year, mass = mass * solar_mass }
end

-- Sun, Jupiter, Saturn, Uranus, Neptune: astronomical units, units per day, solar masses.
local bodies = {
  body(0, 0, 0, 0, 0, 0, 1),
  body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109,
       0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023, 0.000954791938424326609),
  body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381,
       -0.00276742510726411899, 0.00499852801234917238, 0.0000230417297573763929, 0.000285885980666130812),
  body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734,
       0.00296460137564761618, 0.00237847173959480950, -0.0000296589568540237556, 0.0000436624404335156298),
  body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181,
       0.00268067772490389322, 0.00162824170038242295, -0.0000951592254519715870, 0.0000515138902046611451),
}

local function advance(dt)
  for i = 1, #bodies do
    local a = bodies[i]
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      local square = dx * dx + dy * dy + dz * dz
      local pull = dt / (square * sqrt(square))
      a.vx, a.vy, a.vz = a.vx - dx * b.mass * pull, a.vy - dy * b.mass * pull, a.vz - dz * b.mass * pull
      b.vx, b.vy, b.vz = b.vx + dx * a.mass * pull, b.vy + dy * a.mass * pull, b.vz + dz * a.mass * pull
    end
  end
  for _, b in ipairs(bodies) do
    b.x, b.y, b.z = b.x + dt * b.vx, b.y + dt * b.vy, b.z + dt * b.vz
  end
end

local function energy()
  local sum = 0
  for i, a in ipairs(bodies) do
    sum = sum + a.mass * (a.vx ^ 2 + a.vy ^ 2 + a.vz ^ 2) / 2
    for j = i + 1, #bodies do
      local b = bodies[j]
      sum = sum - a.mass * b.mass / sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 + (a.z - b.z) ^ 2)
    end
  end
  return sum
end

local px, py, pz = 0, 0, 0
for _, b in ipairs(bodies) do
  px, py, pz = px + b.vx * b.mass, py + b.vy * b.mass, pz + b.vz * b.mass
end
bodies[1].vx, bodies[1].vy, bodies[1].vz = -px / solar_mass, -py / solar_mass, -pz / solar_mass

print(("%.9f"):format(energy()))
for _ = 1, steps do advance(0.01) end
print(("%.9f"):format(energy()))

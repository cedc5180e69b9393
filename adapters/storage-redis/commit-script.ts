/**
 * The one script that writes: [now, run, latest moment, number that the commit is expected to get, number of checks, (collection, id,
 * version) …, kinds and operands of effects …] as `batch-arguments.ts` lays them out. Gives [1, server's time, number of the commit,
 * id, …], or with nothing changed [0, number of a stale check, …], [-1] when `run` is not the server's run that may write,
 * [-2] while the store is being filled, or [-3, server's time] behind the latest moment.
 *
 * A commit has a latest moment, in the server's time, since who sent it gives it up: one that lay in a network until then is not
 * carried out when nobody reckons with it any more.
 *
 * A script is not rolled back, so it makes every check before its first write. Redis refuses the first write of a
 * script that needs memory when there is none, and no later one: so a commit that only frees begins with a write that
 * needs no memory.
 *
 * A call costs more than most commands themselves: rows and members of sorted sets are read and written many at a time.
 * Lua hashes every byte of every text it makes: rows come as they are to be stored, with the number that is expected.
 */
export const COMMIT = `
local now = time(ARGV[1])
local server = time('')
if ARGV[3] ~= '' and server > tonumber(ARGV[3]) then return {-3, digits(server)} end
local store, at = base .. ':store', 6
local run, above, importing = unpack(call('HMGET', store, 'run', 'base', 'importing'))
if importing then return {-2} end
if ARGV[2] ~= '' and run ~= ARGV[2] then return {-1} end
above = tonumber(above or 0)

-- Rows as they now are, by collection and id; false where there is none.
local rows = {}

local function row_of(collection, id)
  local name = collection .. '\\0' .. id
  if rows[name] == nil then rows[name] = call('HGET', base .. ':d:' .. collection, id) end
  return rows[name], name
end

local stale, checks = {0}, tonumber(ARGV[5])
fetch_rows(at, 3, checks, function(check, row)
  rows[ARGV[at + 3 * check - 3] .. '\\0' .. ARGV[at + 3 * check - 2]] = row
end)
for check = 1, checks do
  local version, row = '0', (row_of(ARGV[at], ARGV[at + 1]))
  if row then
    local current, expires = parse(row)
    if expires == 0 or expires > now then version = current end
  end
  if version ~= ARGV[at + 2] then stale[#stale + 1] = check end
  at = at + 3
end
if #stale > 1 or at > #ARGV then
  -- Others can tell that somebody else is here, unless there is no room to say so.
  local told = redis.pcall('HINCRBY', store, 'commits', 1)
  return #stale > 1 and stale or {1, digits(server), tonumber(told) and digits(told) or '0'}
end

local frees = true
local number

local function next_number()
  number = number or digits(call('HINCRBY', store, 'commits', 1))
  return number
end

-- What is to be written: rows by hash and id, scores by sorted set and member; false for what is to go.
local hashes, sets = {}, {}

local function note(tables, key, field, value)
  tables[key] = tables[key] or {}
  tables[key][field] = value
end

local function each_part(list, visit)
  for first = 1, #list, 2000 do visit(unpack(list, first, math.min(#list, first + 1999))) end
end

local function write(tables, write_command, remove_command, value_first)
  for key, fields in pairs(tables) do
    local there, gone = {}, {}
    for field, value in pairs(fields) do
      if value then
        there[#there + 1] = value_first and value or field
        there[#there + 1] = value_first and field or value
      else gone[#gone + 1] = field end
    end
    each_part(gone, function(...) call(remove_command, key, ...) end)
    each_part(there, function(...) call(write_command, key, ...) end)
  end
end

local function forget(collection, id, row, name)
  local _, expires, entries = parse(row)
  note(hashes, base .. ':d:' .. collection, id, false)
  note(sets, base .. ':i:' .. collection, id, false)
  each_entry(collection, entries, function(index, key) note(sets, index, key .. '\\0' .. id, false) end)
  if expires > 0 then note(sets, base .. ':expiry', name, false) end
end

local function put(collection, id, row, expires, entries)
  local before, name = row_of(collection, id)
  local lives = string.match(expires, '^%+(%d+)$')
  if lives then
    expires = digits(server + lives)
    row = next_number() .. ' ' .. expires .. row
  elseif next_number() ~= ARGV[4] then row = number .. string.sub(row, #ARGV[4] + 1) end
  rows[name] = row
  note(hashes, base .. ':d:' .. collection, id, row)
  local expired, old = 0, ''
  if before then
    local _
    _, expired, old = parse(before)
  else
    note(sets, base .. ':i:' .. collection, id, 0)
  end
  if old ~= entries then
    local left = {}
    each_entry(collection, old, function(index, key)
      left[index .. '\\0' .. key] = {index, key .. '\\0' .. id}
    end)
    each_entry(collection, entries, function(index, key)
      local entry = index .. '\\0' .. key
      if left[entry] then left[entry] = nil
      else note(sets, index, key .. '\\0' .. id, 0) end
    end)
    for _, entry in pairs(left) do note(sets, entry[1], entry[2], false) end
  end
  if tonumber(expires) ~= expired then note(sets, base .. ':expiry', name, expires ~= '0' and expires) end
end

local lasts, grown, ids = {}, {}, {1, digits(server), '0'}

local function last_id(log)
  lasts[log] = lasts[log] or math.max(above, tonumber(call('HGET', base .. ':last', log) or 0))
  return lasts[log]
end

local function append(log, value, postings)
  lasts[log] = last_id(log) + 1
  local id = digits(lasts[log])
  grown[log], ids[#ids + 1] = id, id
  call('XADD', base .. ':l:' .. log, id .. '-0', 'v', value)
  if postings ~= '' then call('XADD', base .. ':o:' .. log, id .. '-0', 'p', postings) end
  for posting in string.gmatch(postings, '([^%z]*)%z') do
    note(sets, base .. ':p:' .. log .. '\\0' .. posting, id, id)
  end
end

local function trim(log, up_to)
  local border = math.min(tonumber(up_to), last_id(log))
  if border <= tonumber(call('HGET', base .. ':trimmed', log) or 0) then return end
  call('XTRIM', base .. ':l:' .. log, 'MINID', digits(border + 1))
  call('HSET', base .. ':trimmed', log, digits(border))
  call('SADD', base .. ':trimming', log)
end

-- Sums beyond what HINCRBY holds, 14 digits at a time: Lua's numbers are exact to 15.
local function parts(magnitude)
  local out = {}
  for last = #magnitude, 1, -14 do
    out[#out + 1] = tonumber(string.sub(magnitude, math.max(1, last - 13), last))
  end
  return out
end

local function combine(larger, smaller, sign)
  local x, y, carry, text = parts(larger), parts(smaller), 0, ''
  for i = 1, #x do
    local part = x[i] + sign * (y[i] or 0) + carry
    carry = 0
    if part >= 1e14 then part, carry = part - 1e14, 1 end
    if part < 0 then part, carry = part + 1e14, -1 end
    text = string.format('%014.0f', part) .. text
  end
  if carry == 1 then text = '1' .. text end
  return string.match(text, '^0*(%d+)$')
end

local function sum(a, b)
  local a_sign, a_size = string.match(a, '^(%-?)(%d+)$')
  local b_sign, b_size = string.match(b, '^(%-?)(%d+)$')
  if #a_size < #b_size or (#a_size == #b_size and a_size < b_size) then
    a_sign, a_size, b_sign, b_size = b_sign, b_size, a_sign, a_size
  end
  local size = combine(a_size, b_size, a_sign == b_sign and 1 or -1)
  return size == '0' and size or a_sign .. size
end

local function add(counter, amount)
  local sums = base .. ':sums'
  local before = call('HGET', sums, counter) or '0'
  if #before <= 18 and #amount <= 18 then call('HINCRBY', sums, counter, amount)
  else call('HSET', sums, counter, sum(before, amount)) end
end

-- Takes the postings of the oldest forgotten records out.
local function shred(log, limit)
  local stream = base .. ':o:' .. log
  local records = call('XRANGE', stream, '-', call('HGET', base .. ':trimmed', log), 'COUNT', limit)
  for _, record in ipairs(records) do
    local id = string.match(record[1], '^%d+')
    for posting in string.gmatch(record[2][2], '([^%z]*)%z') do
      call('ZREM', base .. ':p:' .. log .. '\\0' .. posting, id)
    end
    call('XDEL', stream, record[1])
  end
  if #records < limit then call('SREM', base .. ':trimming', log) end
end

local first, puts = at, 0
while at <= #ARGV do
  local kind = ARGV[at]
  if kind == 'put' then frees, puts = false, puts + 1 end
  if kind == 'append' or kind == 'add' then frees = false end
  at = at + 1 + (kind == 'put' and 5 or kind == 'append' and 3 or 2)
end
begin(frees)
next_number()

at = first
while at <= #ARGV do
  local kind = ARGV[at]
  if kind == 'put' then
    put(unpack(ARGV, at + 1, at + 5))
    at = at + 6
  elseif kind == 'append' then
    append(ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
    at = at + 4
  else
    if kind == 'trim' then trim(ARGV[at + 1], ARGV[at + 2])
    elseif kind == 'add' then add(ARGV[at + 1], ARGV[at + 2])
    else
      local row, name = row_of(ARGV[at + 1], ARGV[at + 2])
      if row then forget(ARGV[at + 1], ARGV[at + 2], row, name) end
      rows[name] = false
    end
    at = at + 3
  end
end
write(hashes, 'HSET', 'HDEL', false)
write(sets, 'ZADD', 'ZREM', true)
for log, last in pairs(grown) do call('HSET', base .. ':last', log, last) end

take_out_due(now, 64 + 2 * puts)
local log = call('SRANDMEMBER', base .. ':trimming')
if log then shred(log, 64 + 2 * #ids) end
ids[3] = next_number()
finish()
return ids
`;

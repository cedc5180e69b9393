import { script } from './scripts.ts';

/*
 * The scripts that move a whole store. They alone look for keys, a bounded number at a time. While a store is filled,
 * `importing` in `{p}:store` names the import that fills it; others may neither fill it nor commit to it.
 */

/** [kind of key, cursor] gives [cursor, name behind it, …]: names of collections for `i`. */
export const NAMES = script(`
local prefix = base .. ':' .. ARGV[1] .. ':'
local found = call('SCAN', ARGV[2], 'MATCH', prefix .. '*', 'COUNT', 1000)
local out = {found[1]}
for _, key in ipairs(found[2]) do out[#out + 1] = string.sub(key, #prefix + 1) end
return out
`);

/** [] gives [commits, base, importing] and then, flat, [log, last id, id up to which it is forgotten] of every log. */
export const SUMMARY = script(`
local store = base .. ':store'
local out = {call('HGET', store, 'commits') or '0', call('HGET', store, 'base') or '0', call('HGET', store, 'importing') or '0'}
local all = call('HGETALL', base .. ':last')
for i = 1, #all, 2 do
  out[#out + 1] = all[i]
  out[#out + 1] = all[i + 1]
  out[#out + 1] = call('HGET', base .. ':trimmed', all[i]) or '0'
end
return out
`);

/** [collection, exclusive lower bound of ZRANGEBYLEX, limit] gives [[id, …], [row, …]]. */
export const DOCUMENTS = script(`
local ids = call('ZRANGEBYLEX', base .. ':i:' .. ARGV[1], ARGV[2], '+', 'LIMIT', 0, ARGV[3])
if #ids == 0 then return {{}, {}} end
return {ids, call('HMGET', base .. ':d:' .. ARGV[1], unpack(ids))}
`);

/** [log, lowest id, limit] gives [id, value, postings, …]; the postings each closed by NUL. */
export const RECORDS = script(`
local out = {}
for _, record in ipairs(call('XRANGE', base .. ':l:' .. ARGV[1], ARGV[2], '+', 'COUNT', ARGV[3])) do
  local carried = call('XRANGE', base .. ':o:' .. ARGV[1], record[1], record[1])[1]
  out[#out + 1] = string.match(record[1], '^%d+')
  out[#out + 1] = record[2][2]
  out[#out + 1] = carried and carried[2][2] or ''
end
return out
`);

/** [cursor] gives [cursor, counter, digits, …]. */
export const SUMS = script(`
local found = call('HSCAN', base .. ':sums', ARGV[1], 'COUNT', 1000)
return {found[1], unpack(found[2])}
`);

/** [import] makes an empty store one that is being filled; gives 0 when the store holds something. */
export const BEGIN = script(`
local store = base .. ':store'
local importing, commits = unpack(call('HMGET', store, 'importing', 'commits'))
if not importing and tonumber(commits or 0) > 0 then return 0 end
call('HSET', store, 'importing', ARGV[1])
return 1
`);

/** The beginning of the scripts below: they give -1 when another import has begun meanwhile. */
const OURS = `
if call('HGET', base .. ':store', 'importing') ~= ARGV[1] then return -1 end
`;

/** [import, cursor] removes the rest of an earlier attempt; gives the next cursor. */
export const CLEAR = script(`${OURS}
local found = call('SCAN', ARGV[2], 'MATCH', base .. ':*', 'COUNT', 500)
for _, key in ipairs(found[2]) do
  if key ~= base .. ':store' then call('UNLINK', key) end
end
return found[1]
`);

/** [import] leaves an empty store. */
export const GIVE_UP = script(`${OURS}
return call('HDEL', base .. ':store', 'importing')
`);

/** [import, …] and rows with their operands, one after the other, as transfer.ts lays them out. */
export const FILL = script(`${OURS}
local at = 2
while at <= #ARGV do
  local kind = ARGV[at]
  if kind == 'document' then
    local collection, id, version, value, expires, characters, entries = unpack(ARGV, at + 1, at + 7)
    local row = table.concat({version, expires, #entries, characters, entries .. value}, ' ')
    call('HSET', base .. ':d:' .. collection, id, row)
    call('ZADD', base .. ':i:' .. collection, 0, id)
    each_entry(collection, entries, function(index, key) call('ZADD', index, 0, key .. '\\0' .. id) end)
    if expires ~= '0' then call('ZADD', base .. ':expiry', expires, collection .. '\\0' .. id) end
    at = at + 8
  elseif kind == 'record' then
    local log, id, value, postings = unpack(ARGV, at + 1, at + 4)
    call('XADD', base .. ':l:' .. log, id .. '-0', 'v', value)
    if postings ~= '' then call('XADD', base .. ':o:' .. log, id .. '-0', 'p', postings) end
    for posting in string.gmatch(postings, '([^%z]*)%z') do
      call('ZADD', base .. ':p:' .. log .. '\\0' .. posting, id, id)
    end
    at = at + 5
  elseif kind == 'log' then
    call('HSET', base .. ':last', ARGV[at + 1], ARGV[at + 2])
    if ARGV[at + 3] ~= '0' then call('HSET', base .. ':trimmed', ARGV[at + 1], ARGV[at + 3]) end
    at = at + 4
  else
    call('HSET', base .. ':sums', ARGV[at + 1], ARGV[at + 2])
    at = at + 3
  end
end
return 1
`);

/** [import, commits, base] ends the filling. */
export const END = script(`${OURS}
call('HSET', base .. ':store', 'commits', ARGV[2], 'base', ARGV[3])
call('HDEL', base .. ':store', 'importing')
return 1
`);

import { createHash } from 'node:crypto';
import { COMMIT } from './commit-script.ts';

/** A Lua script and the name under which the server remembers it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/**
 * How a store lies in Redis. Every key begins with one hash tag, `{prefix}`, so that all of it lives on one node and
 * every call is one atomic script. No script scans: names of keys are computed, never searched.
 *
 * | key                            | type   | holds                                                                   |
 * | ------------------------------ | ------ | ----------------------------------------------------------------------- |
 * | `{p}:store`                    | hash   | `commits`: number of the last commit; `run`: the server's run that wrote last; `base`: ids begin above it; `begun`, `ended`: see below; `importing`: the import that fills it |
 * | `{p}:d:<collection>`           | hash   | id to `<version> <expires> <bytes of entries> <characters of entries> <entries><value>`; an entry is `index NUL key NUL` |
 * | `{p}:i:<collection>`           | zset   | the ids, in bytewise order                                              |
 * | `{p}:x:<collection> NUL <index>` | zset | `key NUL id`, in bytewise order                                         |
 * | `{p}:expiry`                   | zset   | `collection NUL id` by the millisecond from which it is invisible       |
 * | `{p}:sums`                     | hash   | counter to decimal digits                                               |
 * | `{p}:last`                     | hash   | log to the last id given                                                |
 * | `{p}:l:<log>`                  | stream | record `<id>-0`: `v` its value                                          |
 * | `{p}:o:<log>`                  | stream | of a record with postings, `<id>-0`: `p` its postings, each closed by NUL |
 * | `{p}:p:<log> NUL <posting>`    | zset   | ids of the records that carry it                                        |
 * | `{p}:trimmed`                  | hash   | log to the id up to which it is forgotten                               |
 * | `{p}:trimming`                 | set    | logs of which postings of forgotten records remain                       |
 *
 * Documents that expired are invisible at once: reads compare, pages and counts first take out what is due. They are
 * taken out in bounded steps, by pages and by every commit. The time is the server's unless the caller gives one.
 *
 * `begun` is counted by the first write of a script, and `ended` set to it by the last. Redis writes what a script did
 * into its log as one transaction; where the log was cut within one (a power cut under `everysec`), it starts without it,
 * but leaves the first half in the log and carries it out at the start after (seen with 7.0.15). Then one count is
 * ahead of what was counted without that half, and the two differ for ever.
 */
const COMMON = `
local base = KEYS[1]
local call = redis.call

local function digits(number)
  return string.format('%.0f', number)
end

local function time(given)
  if given ~= '' then return tonumber(given) end
  local t = call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

local begun

-- What only frees memory may be written when there is none: after a write that needs none, so may this.
local function begin(frees)
  if frees then call('DEL', base .. ':nothing') end
  begun = call('HINCRBY', base .. ':store', 'begun', 1)
end

local function finish()
  call('HSET', base .. ':store', 'ended', digits(begun))
end

local function parse(row)
  local version, expires, bytes, from = string.match(row, '^(%d+) (%d+) (%d+) %d+ ()')
  return version, tonumber(expires), string.sub(row, from, from + bytes - 1)
end

local function each_entry(collection, entries, visit)
  for index, key in string.gmatch(entries, '([^%z]*)%z([^%z]*)%z') do
    visit(base .. ':x:' .. collection .. '\\0' .. index, key)
  end
end

-- Visits the rows of many documents, whose collections and ids are operands a step apart.
local function fetch_rows(at, step, count, visit)
  local places = {}
  for i = 1, count do
    local collection = ARGV[at + step * (i - 1)]
    places[collection] = places[collection] or {}
    table.insert(places[collection], i)
  end
  for collection, list in pairs(places) do
    for first = 1, #list, 1000 do
      local ids = {}
      for n = first, math.min(#list, first + 999) do ids[#ids + 1] = ARGV[at + step * (list[n] - 1) + 1] end
      local rows = call('HMGET', base .. ':d:' .. collection, unpack(ids))
      for n = 1, #ids do visit(list[first + n - 1], rows[n]) end
    end
  end
end

local function remove(collection, id, row)
  local _, expires, entries = parse(row)
  call('HDEL', base .. ':d:' .. collection, id)
  call('ZREM', base .. ':i:' .. collection, id)
  each_entry(collection, entries, function(index, key) call('ZREM', index, key .. '\\0' .. id) end)
  if expires > 0 then call('ZREM', base .. ':expiry', collection .. '\\0' .. id) end
end

local function take_out_due(now, limit)
  local due = call('ZRANGEBYSCORE', base .. ':expiry', '-inf', string.format('%.17g', now), 'LIMIT', 0, limit)
  if #due == 0 then return true end
  begin(true)
  for _, member in ipairs(due) do
    local border = string.find(member, '\\0', 1, true)
    local collection, id = string.sub(member, 1, border - 1), string.sub(member, border + 1)
    local row = call('HGET', base .. ':d:' .. collection, id)
    if row then remove(collection, id, row) else call('ZREM', base .. ':expiry', member) end
  end
  finish()
  return #due < limit
end
`;

/** Documents that one page, count or rank takes out before it asks to be called again. */
const DUE_PER_READ = 1_000;

/** [now, collection, id, collection, id, …] gives rows as they are stored, nil where there is none. */
export const READ = script(`
local now, rows = time(ARGV[1]), {}
for i = 1, (#ARGV - 1) / 2 do rows[i] = false end
fetch_rows(2, 2, #rows, function(i, row)
  local expires = row and tonumber(string.match(row, '^%d+ (%d+)'))
  rows[i] = expires and (expires == 0 or expires > now) and row or false
end)
return rows
`);

/**
 * [now, collection, ordered set, below, end, reverse, offset, limit] gives [[member, …], [row, …]] ascending, or nil
 * when it has to be called again. `below` and `end` are bounds of ZLEXCOUNT, empty where there is none: the page
 * begins behind what is up to `below` and ends with what is up to `end`.
 */
export const RANGE = script(`
if not take_out_due(time(ARGV[1]), ${DUE_PER_READ}) then return false end
local set, offset, limit = base .. ARGV[3], tonumber(ARGV[7]), tonumber(ARGV[8])
local first = ARGV[4] == '' and 0 or call('ZLEXCOUNT', set, '-', ARGV[4])
local stop = ARGV[5] == '' and call('ZCARD', set) or call('ZLEXCOUNT', set, '-', ARGV[5])
if ARGV[6] == '1' then
  stop = stop - offset
  first = math.max(first, stop - limit)
else
  first = first + offset
  stop = math.min(stop, first + limit)
end
if first >= stop then return {{}, {}} end
local members, ids = call('ZRANGE', set, first, stop - 1), {}
for i, member in ipairs(members) do
  ids[i] = string.sub(member, (string.find(member, '\\0', 1, true) or 0) + 1)
end
return {members, call('HMGET', base .. ':d:' .. ARGV[2], unpack(ids))}
`);

/** [now, ordered set, member] gives its rank, -1 when it is not there, or nil when it has to be called again. */
export const RANK = script(`
if not take_out_due(time(ARGV[1]), ${DUE_PER_READ}) then return false end
return call('ZRANK', base .. ARGV[2], ARGV[3]) or -1
`);

/** [now, ordered set] gives its size, or nil when it has to be called again. */
export const COUNT = script(`
if not take_out_due(time(ARGV[1]), ${DUE_PER_READ}) then return false end
return call('ZCARD', base .. ARGV[2])
`);

/** [log, its posting's key, lowest id, highest id, '1' for newest first, limit] gives [id, value, …]. */
export const PAGE_OF_POSTING = script(`
local stream, set, newest = base .. ':l:' .. ARGV[1], base .. ARGV[2], ARGV[5] == '1'
local low = math.max(tonumber(ARGV[3]), (call('HGET', base .. ':trimmed', ARGV[1]) or 0) + 1)
local border = {newest and ARGV[4] or digits(low), newest and digits(low) or ARGV[4]}
local out = {}
local command = newest and 'ZREVRANGEBYSCORE' or 'ZRANGEBYSCORE'
for i, id in ipairs(call(command, set, border[1], border[2], 'LIMIT', 0, ARGV[6])) do
  out[2 * i - 1] = id
  out[2 * i] = call('XRANGE', stream, id, id)[1][2][2]
end
return out
`);

/** [name, …] gives the digits of counters, nil where there is none. */
export const TOTALS = script(`
local out = {}
for i, name in ipairs(ARGV) do out[i] = call('HGET', base .. ':sums', name) end
return out
`);

/** Far more than anybody writes between two snapshots. */
export const WIDE_GAP = 2 ** 32;

/**
 * [run, gap, '1' when this process already used the store, highest number that this process was given] makes a run of
 * the server the one that writes. With a gap, ids and commit numbers go on above it, because the run before may have
 * given some that are lost; and above the microseconds of the clock, because an earlier jump may be lost too. The
 * same holds for a store that is gone altogether, and for one that lacks numbers that this process was given. Gives
 * [1 when the run was another one before, 1 when half of a commit came back, highest number there was when it lacks
 * some].
 */
export const ADOPT = script(`
local store = base .. ':store'
local known, above, commits, counted, ended = unpack(call('HMGET', store, 'run', 'base', 'commits', 'begun', 'ended'))
local half = counted ~= ended and 1 or 0
local gap, told = tonumber(ARGV[2]), tonumber(ARGV[4])
local top = math.max(tonumber(above or 0), tonumber(commits or 0))
for _, last in ipairs(call('HVALS', base .. ':last')) do top = math.max(top, tonumber(last)) end
local lacks = told > top
if half == 1 or (known == ARGV[1] and not lacks) then return {0, half, ''} end
if not known then gap = ARGV[3] == '1' and ${WIDE_GAP} or 0 end
if gap > 0 or lacks then
  local t = call('TIME')
  local jump = math.max(math.max(top, told) + gap, t[1] * 1000000 + t[2])
  call('HSET', store, 'base', digits(jump), 'commits', digits(jump))
end
call('HSET', store, 'run', ARGV[1])
return {known and 1 or 0, 0, lacks and digits(top) or ''}
`);

/** See commit-script.ts. */
export const COMMIT_BATCH = script(COMMIT);

/** A script with the part that all of them share in front. */
export function script(body: string): Script {
  const text = COMMON + body;
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

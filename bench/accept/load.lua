-- Requests for wrk: each has its own idempotency key, the senders rotate, the bodies do not compress.
-- Arguments: a file with "key<TAB>from" lines, a file with one body text per line, a tag that is unique for the run.
local senders, texts, tag, count = {}, {}, "", 0

function init(args)
  for line in io.lines(args[1]) do
    local key, from = line:match("^(%S+)\t(%S+)$")
    senders[#senders + 1] = { key = key, from = from }
  end
  for line in io.lines(args[2]) do texts[#texts + 1] = line end
  tag = args[3]
end

function request()
  count = count + 1
  local sender = senders[count % #senders + 1]
  local body = string.format(
    '{"from":"Shop <%s>","to":["to-%d@example.io"],"subject":"Your order %d","text":"%s","idempotency_key":"%s-%d"}',
    sender.from, count, count, texts[count % #texts + 1], tag, count)
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json", ["X-API-Key"] = sender.key }, body)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('RESULT {"requests":%d,"seconds":%f,"refused":%d,"broken":%d,"p50":%f,"p99":%f}\n',
    summary.requests, summary.duration / 1e6, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end

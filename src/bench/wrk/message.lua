-- Every request is a new message to the next workspace of this thread's share. Arguments: the file with
-- "<id> <token of a caller>" lines, and the path, in which "{id}" stands for the workspace.
local shares = 0

function setup(thread)
  thread:set("share", shares)
  shares = shares + 1
end

function init(args)
  local file, path = args[1], args[2]
  heads, position, sent, run = {}, 0, 0, os.time()
  local line_number = 0
  for line in io.lines(file) do
    if line_number % 2 == share % 2 then
      local id, token = line:match("(%S+) (%S+)")
      heads[#heads + 1] = "POST " .. path:gsub("{id}", id) .. " HTTP/1.1\r\nHost: localhost\r\n"
        .. "Content-Type: application/json\r\nAuthorization: Bearer " .. token .. "\r\n"
    end
    line_number = line_number + 1
  end
end

function request()
  position = position % #heads + 1
  sent = sent + 1
  local body = '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","messageId":"'
    .. run .. "-" .. share .. "-" .. sent .. '","parts":[{"kind":"text","text":'
    .. '"please have a look at the change, and say what is missing in it"}]}}}'
  return heads[position] .. "Content-Length: " .. #body .. "\r\n\r\n" .. body
end

function done(summary, latency, requests)
  io.write(string.format("RESULT requests=%d seconds=%.3f p50=%.3f p99=%.3f refused=%d late=%d\n",
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    summary.errors.status + summary.errors.read + summary.errors.write + summary.errors.connect,
    summary.errors.timeout))
end

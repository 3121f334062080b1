-- Every request is a poll of the next workspace of this thread's share, whose feed is empty. Arguments: the file with
-- "<id> <token>" lines, and the query.
local shares = 0

function setup(thread)
  thread:set("share", shares)
  shares = shares + 1
end

function init(args)
  local file, query = args[1], args[2]
  requests, position = {}, 0
  local line_number = 0
  for line in io.lines(file) do
    if line_number % 2 == share % 2 then
      local id, token = line:match("(%S+) (%S+)")
      requests[#requests + 1] = wrk.format("GET", "/workspaces/" .. id .. "/activity" .. query,
        { ["Authorization"] = "Bearer " .. token })
    end
    line_number = line_number + 1
  end
  position = math.random(#requests)
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency, requests)
  io.write(string.format("RESULT requests=%d seconds=%.3f p50=%.3f p99=%.3f refused=%d late=%d\n",
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    summary.errors.status + summary.errors.read + summary.errors.write + summary.errors.connect,
    summary.errors.timeout))
end

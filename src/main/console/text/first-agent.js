/** Returns the shell commands that start a first agent, for copying into a terminal. */
import { quote } from './shell.js';

/**
 * Returns an agent that needs only `sh` and `curl`. It registers, sends heartbeats, polls, and answers each message.
 * It is one heredoc for a new shell, so that pasting it sets no variables in the terminal's shell and Ctrl-C ends all
 * of it.
 *
 * @param {{url: string, id: string, token: string, name: string}} agent
 * @returns {string}
 */
export function shellAgent({ url, id, token, name }) {
  const card = JSON.stringify({ id, agent_card: { name }, delivery_mode: 'poll' });
  return `sh <<'MUSTER_AGENT'
MUSTER=${quote(url)} ID=${quote(id)} TOKEN=${quote(token)}
call() { way=$1; shift; curl -sS -H "Authorization: Bearer $TOKEN" "$MUSTER$way" "$@"; }

call /registry/register -d ${quote(card)} >/dev/null || exit
while :; do
  call /registry/heartbeat -d '{"workspace_id":"'$ID'"}' >/dev/null
  sleep 20
done &
trap "kill $!" EXIT
trap exit INT TERM
echo 'The agent is online. Ctrl-C ends it.'

while :; do
  ROW=$(call "/workspaces/$ID/activity?type=a2a_receive&limit=1&wait=25")
  SEQ=$(printf '%s' "$ROW" | sed -n 's/^\\[{"id":"[^"]*","workspace_id":"[^"]*","seq":\\([0-9]*\\).*/\\1/p')
  TEXT=$(printf '%s' "$ROW" | sed -n 's/.*"data":{"source":[^{]*"text":"\\([^"\\\\]*\\(\\\\.[^"\\\\]*\\)*\\)".*/\\1/p')
  MESSAGE=$(printf '%s' "$ROW" |
    sed -n 's/.*","message_id":"\\([^"\\\\]*\\(\\\\.[^"\\\\]*\\)*\\)","delegation_id".*/\\1/p')
  if [ -n "$SEQ" ]; then
    call "/workspaces/$ID/notify" -d '{"message":"You said: '"$TEXT"'","reply_to":"'"$MESSAGE"'"}' >/dev/null &&
      call "/workspaces/$ID/activity/ack" -d '{"acked_seq":'$SEQ'}' >/dev/null
  elif [ "$ROW" != '[]' ]; then
    sleep 2
  fi
done
MUSTER_AGENT`;
}

/**
 * Returns the commands that build the agent program and connect it.
 *
 * @param {{url: string, id: string, token: string, name: string}} agent
 * @returns {string}
 */
export function programAgent({ url, id, token, name }) {
  return `mvn -q -f agent/pom.xml package
MUSTER_URL=${quote(url)} MUSTER_WORKSPACE_ID=${quote(id)} MUSTER_TOKEN=${quote(token)} \\
  java -jar agent/target/muster-agent-*-cli.jar connect --name ${quote(name)} --exec 'tr a-z A-Z'`;
}

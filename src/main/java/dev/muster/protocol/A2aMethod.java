package dev.muster.protocol;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The JSON-RPC methods of A2A, which has other names for them in each version. */
public enum A2aMethod {
  SEND("message/send", "SendMessage"),
  SEND_STREAMING("message/stream", "SendStreamingMessage"),
  GET_TASK("tasks/get", "GetTask"),
  CANCEL_TASK("tasks/cancel", "CancelTask"),
  SUBSCRIBE("tasks/resubscribe", "SubscribeToTask"),
  SET_PUSH_CONFIG("tasks/pushNotificationConfig/set", "CreateTaskPushNotificationConfig"),
  GET_PUSH_CONFIG("tasks/pushNotificationConfig/get", "GetTaskPushNotificationConfig"),
  LIST_PUSH_CONFIGS("tasks/pushNotificationConfig/list", "ListTaskPushNotificationConfigs"),
  DELETE_PUSH_CONFIG("tasks/pushNotificationConfig/delete", "DeleteTaskPushNotificationConfig"),
  LIST_TASKS("tasks/list", "ListTasks"),
  EXTENDED_CARD("agent/getAuthenticatedExtendedCard", "GetExtendedAgentCard");

  private static final Map<String, A2aMethod> BY_NAME =
      Arrays.stream(values())
          .flatMap(
              method -> Stream.of(Map.entry(method.v03, method), Map.entry(method.v10, method)))
          .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

  private final String v03;
  private final String v10;

  A2aMethod(String v03, String v10) {
    this.v03 = v03;
    this.v10 = v10;
  }

  /** Returns the method of that name in any version; empty for one that A2A does not have. */
  public static Optional<A2aMethod> of(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  public String name(A2aVersion version) {
    return version == A2aVersion.V1_0 ? v10 : v03;
  }

  /** Whether it sends a message. */
  public boolean sendsMessage() {
    return this == SEND || this == SEND_STREAMING;
  }

  /** Whether its response may be a stream of events. */
  public boolean streams() {
    return this == SEND_STREAMING || this == SUBSCRIBE;
  }

  /** Whether its parameters name a task. */
  public boolean namesTask() {
    return !sendsMessage() && this != LIST_TASKS && this != EXTENDED_CARD;
  }
}

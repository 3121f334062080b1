package dev.muster.console.timeline;

import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.AgentResponse;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads the part of a message's answer that a timeline shows. */
final class AnswerText {

  private AnswerText() {}

  /** Reads the columns of an outcome: the error, else the answer, else its size. */
  static @Nullable String of(ResultSet row) throws SQLException {
    @Nullable String error = row.getString("end_error");
    if (error != null) {
      return error;
    }
    @Nullable String response = row.getString("response");
    if (response == null) {
      long bytes = row.getLong("response_bytes");
      return bytes == 0 ? null : "(" + bytes + " bytes)";
    }
    byte[] utf8 = response.getBytes(StandardCharsets.UTF_8);
    try {
      return switch (AgentResponse.of(LosslessJson.parse(utf8), utf8)) {
        case AgentResponse.Said(String text) -> text;
        case AgentResponse.GaveUp(String state, String text) -> text;
        case AgentResponse.Working _ -> null;
      };
    } catch (ProblemException unreadable) {
      return response;
    }
  }
}

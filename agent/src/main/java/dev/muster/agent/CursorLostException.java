package dev.muster.agent;

/**
 * Reports that the server no longer keeps the row of a cursor (410). Fetch again without {@code
 * since_id} to continue with the rows that remain.
 */
public final class CursorLostException extends MusterException {

  CursorLostException(String code, String text) {
    super(410, code, text, null);
  }
}

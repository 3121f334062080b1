package dev.muster.agent;

/**
 * The row of a cursor is no longer kept (410). Fetch again without {@code since_id}, and go on with
 * what is still there.
 */
public final class CursorLostException extends MusterException {

  CursorLostException(String code, String text) {
    super(410, code, text, null);
  }
}

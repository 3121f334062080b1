package dev.muster.platform.http;

import dev.muster.platform.json.Ids;
import java.beans.PropertyEditorSupport;
import java.util.UUID;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.InitBinder;

/**
 * Parses ids in paths strictly (R0.3).
 *
 * <p>It is an editor, because with a converter Spring falls back to a lenient editor.
 */
@ControllerAdvice
final class UuidPathEditor {

  @InitBinder
  void bind(WebDataBinder binder) {
    binder.registerCustomEditor(
        UUID.class,
        new PropertyEditorSupport() {
          @Override
          public void setAsText(String text) {
            setValue(Ids.parse(text));
          }
        });
  }
}

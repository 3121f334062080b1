package dev.muster.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Excluded from {@code mvn verify}, included in {@code src/build/nightly}: a class or a test that
 * takes long, and whose fault may be seen a day later.
 */
@Tag("nightly")
@Tag("slow")
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Nightly {}

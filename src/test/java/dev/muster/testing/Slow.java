package dev.muster.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Excluded from {@code mvn test}, included in {@code mvn verify}: a class or a test that takes more
 * than 3 s on two idle cores, starts or kills processes, or takes the database away. The check of
 * the modules is always included, since it concerns every change.
 */
@Tag("slow")
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Slow {}

package dev.muster.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Left out by {@code mvn test}, run by {@code mvn verify}: a class, or a test among quick ones,
 * that takes more than 3 s on two idle cores, starts or kills processes, or takes the database
 * away. The check of the modules is none of them, however long it takes: it is for whoever writes a
 * line of code.
 */
@Tag("slow")
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Slow {}

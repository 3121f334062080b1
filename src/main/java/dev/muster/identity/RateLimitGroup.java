package dev.muster.identity;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The limit that a route's requests count against; {@link RateLimitBucket#GENERAL} without it. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimitGroup {

  RateLimitBucket value();
}

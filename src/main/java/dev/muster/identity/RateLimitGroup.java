package dev.muster.identity;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the limit of a route; without it {@link RateLimitBucket#GENERAL} applies. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RateLimitGroup {

  RateLimitBucket value();
}

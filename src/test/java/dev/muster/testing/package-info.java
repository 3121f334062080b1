/**
 * What tests stand on: one real PostgreSQL, real servers, a plain HTTP client.
 *
 * <p>What a test does meanwhile needs a thread of its own: on two cores the common pool, where a
 * {@code CompletableFuture} works if it is given none, is one thread for the JVM, and the HTTP
 * client tells of its answers there.
 */
@NullMarked
package dev.muster.testing;

import org.jspecify.annotations.NullMarked;

/**
 * Fixtures of the tests: one real PostgreSQL, real servers, a plain HTTP client.
 *
 * <p>Concurrent work of a test needs threads of its own: on two cores the common pool, which a
 * {@code CompletableFuture} uses by default, is one thread for the JVM, and the HTTP client
 * completes its futures there.
 */
@NullMarked
package dev.muster.testing;

import org.jspecify.annotations.NullMarked;

/** What tests stand on: one real PostgreSQL, real servers, a plain HTTP client. */
@NullMarked
package dev.muster.testing;

import org.jspecify.annotations.NullMarked;

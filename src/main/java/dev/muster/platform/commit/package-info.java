/** Commits the values of many callers in one durable transaction. */
@NullMarked
package dev.muster.platform.commit;

import org.jspecify.annotations.NullMarked;

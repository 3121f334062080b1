/** Group commit: many callers, one durable transaction. */
@NullMarked
package dev.muster.platform.commit;

import org.jspecify.annotations.NullMarked;

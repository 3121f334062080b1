/** Shows operators how Muster itself is: replicas, database, jobs, settings. */
@NullMarked
package dev.muster.console.operations;

import org.jspecify.annotations.NullMarked;

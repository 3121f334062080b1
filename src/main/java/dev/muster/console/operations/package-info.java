/** Shows operators the state of Muster itself: replicas, database, jobs, settings. */
@NullMarked
package dev.muster.console.operations;

import org.jspecify.annotations.NullMarked;

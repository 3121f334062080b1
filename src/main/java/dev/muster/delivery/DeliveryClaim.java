package dev.muster.delivery;

import java.util.UUID;

/**
 * The exclusive right to deliver a message: which replica has it, and a number that this replica
 * never uses again. So a replica that lost a delivery can neither end it nor give it back.
 */
record DeliveryClaim(UUID owner, long number) {}

package io.berth.engine.model;

import java.time.Instant;

/**
 * The admission of a group whose controller creates its pods only once it is admitted.
 *
 * @param createdAt the time at which the group was created
 * @param admitted whether it was admitted before, so that its pods exist or may be created
 */
public record GroupAdmission(Instant createdAt, boolean admitted) {
  /** The admission of groups whose pods are created in any case. */
  public static final GroupAdmission NOT_NEEDED = new GroupAdmission(Instant.EPOCH, true);
}

package io.berth.engine.quota;

import io.berth.engine.model.PodCards;
import io.berth.engine.model.ResourceAmounts;

/**
 * The amounts that a queue is guaranteed.
 *
 * <p>It covers only requests for something that it names. Of what it does not name, resources that
 * every pod needs, such as CPU and {@code pods}, are not looked at: otherwise the guarantee of one
 * queue would cover nothing as soon as another queue names them. All others, such as extended
 * resources and devices, are scarce, and guaranteed only by their names. Cards that are counted in
 * two ways, whole and in thousandths, are guaranteed by either name.
 */
final class Guarantee {
  /** The amount of each resource; {@link CountedResources#UNLIMITED} if it is not looked at. */
  private final long[] most;

  private final boolean[] named;
  private final boolean isNothing;

  Guarantee(ResourceAmounts given, CountedResources resources) {
    this.most = resources.amounts(given);
    this.named = new boolean[most.length];
    boolean none = true;
    for (int i = 0; i < most.length; i++) {
      String name = resources.name(i);
      named[i] = given.names(name);
      none &= !named[i] || most[i] == 0;
      if (!named[i]) {
        most[i] = unnamed(name, given);
      }
    }
    this.isNothing = none;
  }

  private static long unnamed(String name, ResourceAmounts given) {
    if (!name.contains("/")) {
      return CountedResources.UNLIMITED; // of Kubernetes itself
    }
    if (name.equals(PodCards.MILLI_GPU)) {
      return CountedResources.milliGpu(given);
    }
    return name.equals(PodCards.COUNTED_GPU) && given.names(PodCards.MILLI_GPU)
        ? CountedResources.UNLIMITED // their computing power is guaranteed
        : 0;
  }

  /** Returns whether it covers no request at all. */
  boolean isNothing() {
    return isNothing;
  }

  /** Returns the amount of the i-th resource that is guaranteed; 0 if it is not looked at. */
  long amount(int i) {
    return most[i] == CountedResources.UNLIMITED ? 0 : most[i];
  }

  /** Returns whether the request is for something that the guarantee names. */
  boolean concerns(long[] request) {
    for (int i = 0; i < request.length; i++) {
      if (named[i] && request[i] > 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether it covers the whole request beside what is taken. */
  boolean covers(long[] request, long[] taken) {
    return !isNothing && concerns(request) && hasRoomFor(request, taken);
  }

  /** Returns whether there is room for the whole request beside what is taken. */
  boolean hasRoomFor(long[] request, long[] taken) {
    for (int i = 0; i < request.length; i++) {
      if (request[i] > 0 && !AmountVectors.fits(i, request, most[i], taken[i])) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether nothing of what remains can be covered.
   *
   * @param smallest at most the requests, by resource, of all pods that the guarantee concerns
   */
  boolean isExhausted(long[] smallest, long[] taken) {
    for (int i = 0; i < most.length; i++) {
      if (smallest[i] > 0 && !AmountVectors.fits(i, smallest, most[i], taken[i])) {
        return true;
      }
    }
    return false;
  }
}

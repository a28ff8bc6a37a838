package io.berth.demo.history;

/**
 * A queue of tenants, which does not change during a run. Pods name it in their label.
 *
 * @param guarantee the amounts that its pods get back from others; resources that it does not name
 *     are not guaranteed
 * @param limit the amounts that its pods never exceed together; resources that it does not name are
 *     unlimited
 */
public record TenantQueue(String name, Amounts guarantee, Amounts limit) {
  /** Returns whether a pod belongs to this queue. */
  boolean isOf(PodState pod) {
    return pod.queue().filter(name::equals).isPresent();
  }

  /** Returns whether the limit has room for a use of this much. */
  boolean allows(Amounts use) {
    return use.ofThoseIn(limit).fitInto(limit);
  }

  /**
   * Returns whether the guarantee covers one more pod. It has to request something that the
   * guarantee names, and nothing else that only some nodes have.
   *
   * @param use the use with the pod
   * @param request what the pod requests
   */
  boolean covers(Amounts use, Amounts request) {
    boolean isConcerned =
        request.ofThoseIn(guarantee).thousandths().values().stream().anyMatch(each -> each > 0);
    boolean isNamed =
        request.thousandths().entrySet().stream()
            .filter(each -> each.getValue() > 0 && each.getKey().contains("/"))
            .allMatch(each -> guarantee.thousandths().containsKey(each.getKey()));
    return isConcerned && isNamed && use.ofThoseIn(guarantee).fitInto(guarantee);
  }
}

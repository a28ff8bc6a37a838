package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.api.Decision.Unschedulable;
import io.berth.engine.devices.DevicePlanner;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.FairCalls;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.LogKeys;
import io.fabric8.kubernetes.api.model.resource.v1.AllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimConsumerReference;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimStatus;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes devices from claims that keep their pod from being placed: a claim may have devices on a
 * node on which the pod cannot run any more, or devices that could not be prepared. Only claims
 * that no other pod uses lose their devices, one per attempt. Another attempt then follows from the
 * watch.
 */
public final class ClaimRelease {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimRelease.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final FairCalls calls;
  private final ClaimDeallocations deallocations;
  private final LimitedLog refusals;
  private final Function<PodRef, List<ResourceClaim>> claimsOf;

  /**
   * @param deallocations the requests that take devices from claims
   * @param claimsOf returns the existing claims of a pod, with the one for its extended resources
   */
  public ClaimRelease(
      ApiCalls api,
      ClaimDeallocations deallocations,
      Function<PodRef, List<ResourceClaim>> claimsOf) {
    this.calls = new FairCalls(api);
    this.deallocations = deallocations;
    this.refusals = new LimitedLog(api::nanoTime);
    this.claimsOf = claimsOf;
  }

  /** Returns the name of the claim for a pod's extended resources, if it has one. */
  public static String nameOfExtendedClaim(PodRef pod) {
    return ExtendedClaims.nameFor(pod);
  }

  /** Releases the devices of one of the pod's claims, if they may be why it has no node. */
  public void afterAttempt(Unschedulable decision) {
    boolean unavailable =
        decision.record().rejections().stream()
            .anyMatch(rejection -> rejection.reason().equals(DevicePlanner.NOT_AVAILABLE));
    PodRef pod = decision.pod();
    for (ResourceClaim claim : claimsOf.apply(pod)) {
      JsonNode object = JSON.valueToTree(claim);
      if (ExtendedClaims.isOf(object, pod)) {
        delete(pod, object);
        return;
      }
      if (unavailable && isReleasable(claim, pod) && !deallocations.isUnderWay(object)) {
        String name = claim.getMetadata().getName();
        deallocations.send(
            pod,
            object,
            ClaimWrites.deallocation(
                claim.getMetadata().getUid(), claim.getMetadata().getResourceVersion()),
            answer -> ended(pod, name, answer, () -> done(pod, "released the devices of " + name)));
        return;
      }
    }
  }

  private static boolean isReleasable(ResourceClaim claim, PodRef pod) {
    ResourceClaimStatus status = claim.getStatus();
    if (status == null || status.getAllocation() == null) {
      return false;
    }
    if (isAvailableEverywhere(status.getAllocation())) {
      return false;
    }
    List<ResourceClaimConsumerReference> users = status.getReservedFor();
    return users.isEmpty() || (users.size() == 1 && pod.uid().equals(users.getFirst().getUid()));
  }

  /** Returns whether no node is rejected because of a claim with this allocation. */
  private static boolean isAvailableEverywhere(AllocationResult allocation) {
    return allocation.getNodeSelector() == null
        && (allocation.getDevices() == null
            || allocation.getDevices().getResults().stream()
                .allMatch(result -> result.getBindingConditions().isEmpty()));
  }

  /** Deletes the claim for extended resources that an earlier attempt has left. */
  private void delete(PodRef pod, JsonNode claim) {
    String name = claim.path("metadata").path("name").asText();
    String path = ClaimWrites.path(pod.namespace(), name);
    send(
        pod,
        name,
        (sent, then) ->
            sent.patch(path, ApiCalls.MERGE_PATCH, ClaimWrites.withoutFinalizer(claim), then),
        () ->
            send(
                pod,
                name,
                (sent, then) -> sent.delete(path, ClaimWrites.deletionOf(claim), then),
                () -> done(pod, "deleted " + name)));
  }

  private static void done(PodRef pod, String what) {
    LogKeys.pod(pod).debug(LOG).accept("pod %s: %s".formatted(pod, what));
  }

  private void send(PodRef pod, String claim, FairCalls.Request request, Runnable then) {
    calls.send(pod.namespace(), request, answer -> ended(pod, claim, answer, then));
  }

  private void ended(PodRef pod, String claim, Answer answer, Runnable then) {
    if (answer.ok()) {
      then.run();
    } else {
      // The next attempt at the pod tries again.
      refusals
          .refused(
              answer.code(),
              "ResourceClaim %s/%s keeps its devices: %s"
                  .formatted(pod.namespace(), claim, answer.message()))
          .ifPresent(LogKeys.pod(pod).info(LOG));
    }
  }
}

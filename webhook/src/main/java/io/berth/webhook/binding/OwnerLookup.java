package io.berth.webhook.binding;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the owner at the root: the Deployment behind a ReplicaSet, the CronJob behind a Job. */
@FunctionalInterface
public interface OwnerLookup {

  /**
   * The root owner of a pod's controller; the controller itself where nothing owns it.
   *
   * @param namespace the pod's namespace
   * @param controller the pod's controlling owner
   * @param podLabels the pod's labels
   */
  Owner root(String namespace, Owner controller, Map<String, String> podLabels);

  /**
   * Tells the root by the names that controllers give. A Deployment's ReplicaSet is called {@code
   * <deployment>-<pod-template-hash>}, with the hash in the pod's labels; a CronJob's Job is called
   * {@code <cronjob>-<minutes since 1970>}, eight digits until the year 2160. It needs no look-up,
   * so it gives the same answer on every replica and at any time.
   */
  static OwnerLookup byName() {
    Pattern jobOfCronJob = Pattern.compile("(.+)-\\d{8}");
    return (namespace, controller, podLabels) -> {
      if (controller.kind().equals("ReplicaSet")) {
        String suffix = "-" + podLabels.getOrDefault("pod-template-hash", "");
        if (suffix.length() > 1
            && controller.name().endsWith(suffix)
            && controller.name().length() > suffix.length()) {
          return new Owner(
              "Deployment",
              controller.name().substring(0, controller.name().length() - suffix.length()));
        }
      }
      if (controller.kind().equals("Job")) {
        Matcher job = jobOfCronJob.matcher(controller.name());
        if (job.matches()) {
          return new Owner("CronJob", job.group(1));
        }
      }
      return controller;
    };
  }
}

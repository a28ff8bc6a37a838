package io.berth.webhook.binding;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Derives root owners from the names that Kubernetes controllers generate, for controllers that
 * have not been looked up. A Deployment's ReplicaSet is called {@code
 * <deployment>-<pod-template-hash>}, with the hash in the pod's labels; a CronJob's Job is called
 * {@code <cronjob>-<minutes since 1970>}, eight digits until the year 2160. A Job that a user
 * creates with such a name is mistaken for a CronJob's.
 */
public final class OwnerNames {
  private static final Pattern JOB_OF_CRON_JOB = Pattern.compile("(.+)-\\d{8}");

  private OwnerNames() {}

  /** Returns the likely root owner of a pod's controller. */
  public static Owner root(Controller controller, Map<String, String> podLabels) {
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
      Matcher job = JOB_OF_CRON_JOB.matcher(controller.name());
      if (job.matches()) {
        return new Owner("CronJob", job.group(1));
      }
    }
    return controller.asOwner();
  }
}

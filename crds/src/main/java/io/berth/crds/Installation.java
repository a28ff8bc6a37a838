package io.berth.crds;

/** Names that are shared by the manifests under deploy/ and the process. */
public final class Installation {

  /** The namespace that Berth is installed into by default. */
  public static final String NAMESPACE = "berth-system";

  /** The Service of the replicas, in their namespace. */
  public static final String SERVICE = "berth";

  /** The name of the ServiceAccount of Berth, and of its ClusterRole and Role. */
  public static final String SERVICE_ACCOUNT = "berth";

  /** The ServiceAccount whose tokens let users read explanations. */
  public static final String READER_ACCOUNT = "berth-reader";

  /** The Lease that the leader holds. */
  public static final String LEASE = "berth";

  /** The Secret that holds the webhook's CA and certificate. */
  public static final String CERTIFICATE_SECRET = "berth-webhook-certificate";

  /**
   * The ConfigMap with the certificates of the webhook's CA, for clients that read metrics and
   * explanations.
   */
  public static final String AUTHORITY_CONFIG_MAP = "berth-ca";

  /** The MutatingWebhookConfiguration and the ValidatingWebhookConfiguration. */
  public static final String WEBHOOK_CONFIGURATION = "berth";

  /** The path at which the webhook mutates pods. */
  public static final String MUTATE_PODS_PATH = "/mutate/pods";

  /** The path at which the webhook validates the four kinds. */
  public static final String VALIDATE_CONFIGS_PATH = "/validate/configs";

  /** The path at which the webhook checks the pod templates of workloads and returns warnings. */
  public static final String VALIDATE_WORKLOADS_PATH = "/validate/workloads";

  private Installation() {}
}

package io.berth.webhook.error;

/**
 * The codes of all messages to users. A code never changes its meaning and is never reused; each
 * has a page in {@code docs/errors/}, which a test compares with this list.
 *
 * <p>11xx: arguments; 12xx: parameters; 13xx: templates, when applied; 14xx: templates, when
 * rendered; 15xx: rendered results; 16xx: annotations and references of pods; 17xx: errors on the
 * platform's side that affect a pod; 18xx: bindings, policies, and queues, when applied; 19xx:
 * legacy policies.
 */
public enum ErrorCode {
  /** The arguments are not JSON. */
  ARGUMENTS_NOT_JSON(1101),
  /**
   * The arguments are JSON, but not of the expected shape: an object of arguments, or one such
   * object per config.
   */
  ARGUMENTS_SHAPE(1102),
  /** An argument has no matching parameter in the config. */
  ARGUMENT_UNKNOWN(1103),
  /** A required argument is missing. */
  ARGUMENT_MISSING(1104),
  /** The type of an argument differs from that of its parameter. */
  ARGUMENT_TYPE(1105),
  /** An argument is of the right type, but its parameter does not accept the value. */
  ARGUMENT_NOT_ACCEPTED(1106),
  /** The arguments, or one of them, exceed a size limit. */
  ARGUMENT_TOO_LARGE(1107),
  /** Arguments are keyed by a config that the pod does not name. */
  ARGUMENTS_FOR_UNNAMED_CONFIG(1108),
  /** A list of config names is malformed. */
  CONFIG_NAMES(1109),

  /** The declaration of a parameter is malformed. */
  PARAMETER_MALFORMED(1201),
  /** Two parameters have the same name. */
  PARAMETER_REPEATED(1202),
  /** The declaration of a parameter contradicts itself. */
  PARAMETER_CONTRADICTION(1203),
  /** The pattern of a parameter is not an RE2 expression. */
  PARAMETER_PATTERN(1204),
  /** A declared parameter is not used by any template. */
  PARAMETER_UNUSED(1205),

  /** A template cannot be parsed. */
  TEMPLATE_SYNTAX(1301),
  /** A template contains a directive, macro call or comment. */
  TEMPLATE_DIRECTIVE(1302),
  /** A template contains an expression that is not on the allow-list. */
  TEMPLATE_EXPRESSION(1303),
  /** A template uses a built-in that is not on the allow-list. */
  TEMPLATE_BUILT_IN(1304),
  /** A template reads something that is neither a parameter nor a supported property of the pod. */
  TEMPLATE_UNKNOWN_NAME(1305),
  /** A template, or the whole tree, exceeds the limit on size or nesting depth. */
  TEMPLATE_TOO_LARGE(1306),
  /** A template is used in a key, where templates are not allowed. */
  TEMPLATE_IN_KEY(1307),
  /** {@code $if} is used where nothing can be omitted, or cannot render to true or false. */
  TEMPLATE_IF(1308),
  /** An expression combines incompatible types. */
  TEMPLATE_TYPE(1309),
  /** A config, or a field of it, is empty. */
  CONFIG_WITHOUT_EFFECT(1310),

  /** A template reads a value that this pod or these arguments do not have. */
  RENDER_MISSING_VALUE(1401),
  /** Rendering exceeded the limit on steps. */
  RENDER_STEPS(1402),
  /** Rendering exceeded the limit on output. */
  RENDER_OUTPUT(1403),
  /** An integer overflowed 64 bits. */
  RENDER_OVERFLOW(1404),

  /** The API server would reject the rendered result of a template. */
  RESULT_INVALID(1501),

  // 1602, 1603, and 1702 are not used: they revealed that a name exists.

  /** A pod names a config that does not exist, or that its namespace may not use. */
  CONFIG_UNKNOWN(1601),
  /** A pod names a SchedulingPolicy that does not exist, or that its namespace may not use. */
  POLICY_UNKNOWN(1604),
  /**
   * A config cannot be merged into the pod, because the number of required node terms exceeds the
   * limit.
   */
  TOO_MANY_TERMS(1605),
  /** An annotation has Berth's prefix but is unknown. */
  ANNOTATION_UNKNOWN(1606),
  /** The pod's annotation is ignored, because a binding denies overrides. */
  ANNOTATION_OVERRIDDEN(1607),
  /** A spread constraint of a config is omitted, because the pod has an equivalent one. */
  SPREAD_CONSTRAINT_LEFT_OUT(1608),
  /** An annotation for pods is set on a workload instead of on its pod template. */
  ANNOTATION_ON_WORKLOAD(1609),
  /** A pod names a SchedulingPolicy but is scheduled by another scheduler. */
  POLICY_WITHOUT_SCHEDULER(1610),
  /**
   * The annotation that records what was applied is omitted, because it would exceed the size limit
   * of the pod's annotations.
   */
  APPLIED_LEFT_OUT(1611),
  /** A pod names a SchedulingPolicy with an invalid name. */
  POLICY_NAME(1612),
  /** A binding that is a dry run would change the pod. */
  DRY_RUN(1613),
  /** An update of a pod changed a decision of admission, and the change was reverted. */
  ANNOTATION_PUT_BACK(1614),
  /** A pod has a PriorityClass for which a policy requires a quota, and its namespace has none. */
  QUOTA_REQUIRED(1615),

  /**
   * A binding names a config or a policy that does not exist, or that one of its namespaces may not
   * use.
   */
  BINDING_REFERENCE_UNKNOWN(1701),
  /** The arguments of a binding are rejected by its config, or cannot be rendered or merged. */
  BINDING_REFUSED(1703),
  /** A pod or a binding names a config with invalid templates. */
  CONFIG_BROKEN(1704),
  /**
   * Berth could not determine whether an object exists, because a request to the API server failed.
   */
  LOOKUP_FAILED(1705),
  /** An internal error in Berth. */
  INTERNAL(1706),
  /** A pod was reviewed with configuration that may be out of date. */
  CATALOG_BEHIND(1707),
  /** The root owner of a pod, which a rollout requires, could not be looked up. */
  OWNER_UNKNOWN(1708),
  /** A named SchedulingPolicy is invalid, and no earlier revision of it can be used. */
  POLICY_BROKEN(1709),

  /** A field of a binding is not valid. */
  BINDING_INVALID(1801),
  /** A binding outside the operator's namespace has a namespaceSelector. */
  BINDING_REACH(1802),
  /** A binding assigns nothing or cannot select any pod. */
  BINDING_WITHOUT_EFFECT(1803),
  /** A SchedulingPolicy cannot be compiled. */
  POLICY_INVALID(1804),
  /** Another SchedulingPolicy is also marked as default. */
  POLICY_SECOND_DEFAULT(1805),
  /** A list of allowed namespaces is not valid. */
  ALLOWED_NAMESPACES(1806),
  /** A field of a binding has no effect by itself. */
  BINDING_FIELD_WITHOUT_EFFECT(1807),
  /** A binding selects no pod at present, and does so as soon as something changes. */
  BINDING_IDLE(1808),
  /** A policy contains the private key of an extender's client certificate. */
  POLICY_HOLDS_KEY(1809),
  /** A SchedulingQueue is not valid, or contradicts the queues above or below it. */
  QUEUE_INVALID(1810),
  /** The parent of a SchedulingQueue does not exist. */
  QUEUE_PARENT_UNKNOWN(1811),
  /** A field of a SchedulingQueue has no effect, or not that which it seems to have. */
  QUEUE_FIELD_WITHOUT_EFFECT(1812),
  /** The steps of a rollout are invalid. */
  ROLLOUT_INVALID(1813),

  /** A legacy policy is not JSON of {@code kind: Policy}. */
  LEGACY_POLICY_FORMAT(1901),
  /** A legacy policy requires a feature that Berth does not support. */
  LEGACY_POLICY_UNSUPPORTED(1902);

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  /** Returns the code as shown to users, such as {@code BERTH-1103}. */
  public String id() {
    return "BERTH-" + number;
  }
}

package io.berth.engine.policy;

import io.berth.crds.policy.ExtenderTls;
import io.berth.crds.policy.ManagedResource;
import io.berth.crds.schema.DurationText;
import io.berth.engine.extender.Extender;
import io.berth.engine.extender.Extenders;
import io.berth.engine.extender.MetadataAddresses;
import io.berth.rules.LabelSyntax;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compiles the extenders of a policy, or reports problems. */
final class ExtenderCompiler {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(5);
  private static final int MAX_WEIGHT = 100_000;
  private static final int LONGEST_NANOSECONDS = 18;

  /** Scheme, host, port and path; other components are not allowed in a URL prefix. */
  private static final Pattern URL =
      Pattern.compile(
          "(https?)://(\\[[0-9a-fA-F:.]+\\]|[A-Za-z0-9_.-]+)(:[0-9]{1,5})?(/[^?#\\s]*)?");

  private static final Pattern VERB = Pattern.compile("[^?#\\s/][^?#\\s]*");

  private static final String PEM = "-----BEGIN ";

  private final List<PolicyProblem> problems;
  private final Map<String, String> pathOfResource = new HashMap<>();

  /**
   * @param problems receives the problems
   */
  ExtenderCompiler(List<PolicyProblem> problems) {
    this.problems = problems;
  }

  /** Returns the extenders; empty if there are none. */
  Optional<Extenders> compile(List<io.berth.crds.policy.Extender> given) {
    Set<String> urls = new HashSet<>();
    String binder = "";
    List<Extender> extenders = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      String path = "spec.extenders[" + i + "]";
      Extender extender = extender(given.get(i), path);
      extenders.add(extender);
      if (!urls.add(extender.urlPrefix())) {
        problem(
            path + ".urlPrefix",
            "\"" + extender.urlPrefix() + "\" is a duplicate; each extender has one entry");
      }
      if (extender.verbs().bind().isPresent()) {
        if (!binder.isEmpty()) {
          problem(
              path + ".bindVerb",
              "only one extender of a policy can have a bindVerb; " + binder + " already has one");
        }
        binder = path;
      }
    }
    return extenders.isEmpty() ? Optional.empty() : Optional.of(new Extenders(extenders));
  }

  /** Returns the resources that NodeResourcesFit leaves to the extenders. */
  static Set<String> ignoredResources(List<io.berth.crds.policy.Extender> given) {
    return given.stream()
        .flatMap(extender -> extender.managedResources().stream())
        .filter(ManagedResource::ignoredByScheduler)
        .map(ManagedResource::name)
        .filter(ExtenderCompiler::isExtendedResource)
        .collect(Collectors.toSet());
  }

  private Extender extender(io.berth.crds.policy.Extender given, String path) {
    String url = url(given, path);
    Extender.Verbs verbs =
        new Extender.Verbs(
            verb(given.filterVerb(), path + ".filterVerb"),
            verb(given.prioritizeVerb(), path + ".prioritizeVerb"),
            verb(given.preemptVerb(), path + ".preemptVerb"),
            verb(given.bindVerb(), path + ".bindVerb"));
    if (Stream.of(verbs.filter(), verbs.prioritize(), verbs.preempt(), verbs.bind())
        .allMatch(Optional::isEmpty)) {
      problem(
          path,
          "set at least one of filterVerb, prioritizeVerb, preemptVerb, and bindVerb: without them,"
              + " the extender is never called");
    }
    if (verbs.prioritize().isPresent() && (given.weight() < 1 || given.weight() > MAX_WEIGHT)) {
      problem(
          path + ".weight",
          "must be 1 to " + MAX_WEIGHT + " if prioritizeVerb is set, not " + given.weight());
    }
    return new Extender(
        url,
        verbs,
        Math.clamp(given.weight(), 1, MAX_WEIGHT),
        timeout(given.httpTimeout(), path + ".httpTimeout"),
        given.nodeCacheCapable(),
        managedResources(given.managedResources(), path + ".managedResources"),
        given.ignorable(),
        tls(given, url, path + ".tlsConfig"));
  }

  private String url(io.berth.crds.policy.Extender given, String path) {
    String url = given.urlPrefix() == null ? "" : given.urlPrefix().replaceFirst("/+$", "");
    String at = path + ".urlPrefix";
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      problem(
          at,
          "\""
              + url
              + "\" is not a valid URL, such as http://gpu-share.kube-system:8888/scheduler: it"
              + " must start with http:// or https:// and a host, without user, query, or"
              + " fragment");
      return url;
    }
    if (parts.group(3) != null && Integer.parseInt(parts.group(3).substring(1)) > 65_535) {
      problem(at, "is not valid: a port is at most 65535, not " + parts.group(3).substring(1));
    }
    if (MetadataAddresses.containText(parts.group(2))) {
      problem(
          at,
          parts.group(2)
              + " is a link-local address, or another one where clouds serve node credentials;"
              + " extenders cannot use it");
    }
    if (given.enableHTTPS() && parts.group(1).equals("http")) {
      problem(
          path + ".enableHTTPS",
          "is true, but urlPrefix starts with http://, so requests would not be encrypted (nor are"
              + " they by kube-scheduler): use https://, or remove enableHTTPS");
    }
    return url;
  }

  private Optional<String> verb(@Nullable String verb, String path) {
    if (verb == null || verb.isEmpty()) {
      return Optional.empty();
    }
    if (!VERB.matcher(verb).matches()) {
      problem(
          path,
          "\""
              + verb
              + "\" is not a valid path, such as filter or v1/filter: it must not start with a"
              + " slash or contain spaces, a query, or a fragment");
    }
    return Optional.of(verb);
  }

  private Duration timeout(@Nullable String text, String path) {
    if (text == null) {
      return DEFAULT_TIMEOUT;
    }
    boolean nanoseconds =
        !text.isEmpty()
            && text.length() <= LONGEST_NANOSECONDS
            && text.chars().allMatch(c -> c >= '0' && c <= '9');
    Optional<Duration> read =
        nanoseconds ? Optional.of(Duration.ofNanos(Long.parseLong(text))) : DurationText.read(text);
    if (read.isEmpty()) {
      problem(
          path,
          "\""
              + text
              + "\" is not a duration such as 500ms, 5s or 1m30s, nor a number of"
              + " nanoseconds");
      return DEFAULT_TIMEOUT;
    }
    Duration timeout = read.get().isZero() ? DEFAULT_TIMEOUT : read.get();
    if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
      problem(path, "must be 1ms to 5m, not " + text);
      return DEFAULT_TIMEOUT;
    }
    return timeout;
  }

  private Set<String> managedResources(List<ManagedResource> given, String path) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < given.size(); i++) {
      String name = given.get(i).name();
      String at = path + "[" + i + "].name";
      if (!isExtendedResource(name)) {
        problem(
            at,
            "\""
                + name
                + "\" is not an extended resource, such as example.com/gpu; extenders cannot manage"
                + " the resources of Kubernetes itself");
      }
      String before = pathOfResource.putIfAbsent(name, at);
      if (before != null) {
        problem(at, name + " is a duplicate; it is already in " + before);
      }
      names.add(name);
    }
    return names;
  }

  private static boolean isExtendedResource(String name) {
    String domain = name.contains("/") ? name.substring(0, name.indexOf('/')) : "kubernetes.io";
    return !domain.equals("kubernetes.io")
        && !domain.endsWith(".kubernetes.io")
        && !name.startsWith("requests.")
        && LabelSyntax.ofLabelName(name).isEmpty();
  }

  private Optional<ExtenderTls> tls(io.berth.crds.policy.Extender given, String url, String path) {
    ExtenderTls tls = given.tlsConfig();
    if (tls == null) {
      return Optional.empty();
    }
    if (url.startsWith("http://")) {
      problem(path, "has no effect, because urlPrefix starts with http://: use https://");
    }
    checkSecret(tls, path);
    boolean certificate = isGiven(tls.certData()) || isGiven(tls.certFile());
    boolean key = isGiven(tls.keyData()) || isGiven(tls.keyFile());
    if (certificate != key) {
      problem(
          path,
          "must have both a certificate (certFile or certData) and its key (keyFile or keyData), or"
              + " neither");
    }
    boolean authorities = isGiven(tls.caData()) || isGiven(tls.caFile());
    if (tls.insecure() && authorities) {
      problem(
          path + ".insecure",
          "is true, so caFile and caData have no effect: remove insecure, or remove them");
    }
    checkPem(tls.certData(), path + ".certData");
    checkPem(tls.keyData(), path + ".keyData");
    checkPem(tls.caData(), path + ".caData");
    checkFile(tls.certFile(), path + ".certFile");
    checkFile(tls.keyFile(), path + ".keyFile");
    checkFile(tls.caFile(), path + ".caFile");
    return Optional.of(tls);
  }

  private void checkSecret(ExtenderTls tls, String path) {
    String name = tls.secretName();
    if (name == null || name.isEmpty()) {
      return;
    }
    if (!LabelSyntax.ofSubdomain(name).isEmpty()) {
      problem(
          path + ".secretName",
          "\"" + name + "\" is not the name of a Secret: use lowercase letters, digits, -, and .");
    }
    if (Stream.of(
            tls.caFile(),
            tls.caData(),
            tls.certFile(),
            tls.certData(),
            tls.keyFile(),
            tls.keyData())
        .anyMatch(ExtenderCompiler::isGiven)) {
      problem(
          path + ".secretName",
          "takes the place of all files and data: remove caFile, caData, certFile, certData,"
              + " keyFile, and keyData, or secretName");
    }
  }

  private static boolean isGiven(@Nullable String text) {
    return text != null && !text.isEmpty();
  }

  private void checkPem(@Nullable String data, String path) {
    if (data == null || data.isEmpty()) {
      return;
    }
    try {
      String text = new String(Base64.getMimeDecoder().decode(data), StandardCharsets.US_ASCII);
      if (text.contains(PEM)) {
        return;
      }
    } catch (IllegalArgumentException e) {
      // Reported below, without its content.
    }
    problem(path, "is not base64-encoded PEM: encode the file with `base64 -w0 FILE`");
  }

  private void checkFile(@Nullable String file, String path) {
    if (file != null && !file.isEmpty() && !file.startsWith("/")) {
      problem(
          path,
          "\""
              + file
              + "\" is not an absolute path in Berth's container, such as"
              + " /etc/berth/extenders/NAME/ca.crt");
    }
  }

  private void problem(String path, String message) {
    problems.add(new PolicyProblem(path, message));
  }
}

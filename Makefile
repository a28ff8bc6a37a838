# Berth's commands. `make` alone lists them.
#
# Needed: a JDK 25 or newer (found by .ci/jdk25, whatever JVM Maven itself runs on), and make. Maven is fetched by its
# wrapper where none is installed.

.DEFAULT_GOAL := help
.PHONY: help jdk build jar aot image sbom audit release run demo test test-real test-upstream history simulate keep-recording soak conformance bench bench-quality bench-e2e bench-feed bench-recording bench-failover bench-gpu fuzz crds api-types docs picture format

# Names the JDK once, for Maven's toolchain and for running; empty until the target `jdk` has checked it.
JDK := $(shell ./.ci/jdk25 2>/dev/null)
export JAVA25_HOME := $(JDK)
ifneq ($(JDK),)
# The generators run `java`, which is the toolchain's only if Maven runs on an older JVM.
export PATH := $(JDK)/bin:$(PATH)
endif

ifneq ($(shell command -v mvn 2>/dev/null),)
MVN ?= mvn
else
MVN ?= ./mvnw
export JAVA_HOME := $(JDK)
endif
MVN_FLAGS ?= -B -ntp
JVM_FLAGS ?= -Xmx2g --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED
# A shell starts what it runs in the background with SIGINT ignored, and a JVM leaves ignored signals so.
HEARS_SIGINT := $(shell env --default-signal=INT true 2>/dev/null && echo env --default-signal=INT)
# The JVM takes the place of make's shell, or ending make would leave it running.
JAVA = exec $(HEARS_SIGINT) "$(JDK)/bin/java" $(JVM_FLAGS)
CLASSPATH_OPTION = -cp "demo/target/classes:$$(cat demo/target/classpath)"
ON_CLASSPATH = $(JAVA) $(CLASSPATH_OPTION)
# A heap of constant size, as after some minutes: the kernel clears pages that are touched for the first time, which takes
# as long as placing the pods of a short workload.
TOUCHED_HEAP = -Xms2g -Xmx2g -XX:+AlwaysPreTouch

NODES ?=
PODS ?=
PORT ?=
OUT ?=
SCHEDULER ?=
START ?=
JAR ?=
AOT ?=
VECTORS ?=
BASE_IMAGE ?=
FROM_BASE = $(if $(BASE_IMAGE),-Djib.from.image="$(BASE_IMAGE)")
NO_IMAGE = { echo "image: not built, for the reason above. If the base image cannot be pulled, name one that can: make image BASE_IMAGE=registry/eclipse-temurin:25-jre" >&2; exit 1; }
OF_ONE_ARCH = MVN="$(MVN)" MVN_FLAGS="$(MVN_FLAGS)" BASE_IMAGE="$(BASE_IMAGE)" .ci/image
ARCH ?= $(if $(filter arm64 aarch64,$(shell uname -m)),arm64,amd64)
VERSION ?=
E2E ?=
FOCUS ?=
SKIP ?=
SECONDS ?=
CLAIMS ?=
KUBERNETES ?=
RELEASE ?=
SEED ?=
SEEDS ?=
TRACES ?=
HISTORY ?=

help: ## List the commands
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

jdk: ## Check that there is a JDK 25, and Maven
	@./.ci/jdk25 >/dev/null
	@command -v $(MVN) >/dev/null || { echo "Berth is built with Maven, and $(MVN) is not on the PATH. Install it (package maven), or name it: make MVN=/path/to/mvn" >&2; exit 1; }

build: jdk ## Compile everything
	@[ -f demo/target/classpath ] || echo "Compiling for the first time: this takes a minute or two" >&2
	@$(MVN) $(MVN_FLAGS) -q process-classes -pl demo -am

jar: jdk ## Build operator/target/berth.jar
	@[ -d operator/target/classes ] || echo "Compiling for the first time: this takes a minute or two" >&2
	@rm -f operator/target/berth.aot # of an earlier jar: a JVM does not always notice
	@$(MVN) $(MVN_FLAGS) -q package -Dmaven.test.skip -pl operator -am

aot: build jar ## Make operator/target/berth.aot, with which berth.jar starts faster: java -XX:AOTCache=operator/target/berth.aot -jar …
	@$(ON_CLASSPATH) io.berth.demo.AotMain

image: jdk ## Build the container image for ARCH= (amd64 or arm64) into operator/target; with IMAGE=registry/name:tag, push it, for both unless ARCH= is given; BASE_IMAGE=
ifeq ($(IMAGE),)
	@$(OF_ONE_ARCH) $(ARCH) "$(CURDIR)/operator/target/berth-image.tar" || $(NO_IMAGE)
else ifeq ($(origin ARCH),command line)
	@$(OF_ONE_ARCH) $(ARCH) "" "$(IMAGE)" || $(NO_IMAGE)
else
	@$(MVN) $(MVN_FLAGS) -q package -Dmaven.test.skip -pl operator -am jib:build -Dimage="$(IMAGE)" -Djib.from.platforms=linux/amd64,linux/arm64 $(FROM_BASE) || $(NO_IMAGE)
endif

sbom: jdk ## Write the software bill of materials, operator/target/bom.json (CycloneDX)
	@$(MVN) $(MVN_FLAGS) -q package -Dmaven.test.skip cyclonedx:makeBom -pl operator -am

audit: build sbom ## List licences and known vulnerabilities of the libraries; ADVISORIES= (a folder or zip file with all of OSV's)
	@$(ON_CLASSPATH) io.berth.demo.AuditMain --bom operator/target/bom.json --known .ci/advisories $(if $(ADVISORIES),--advisories "$(ADVISORIES)")

release: jdk ## Build a release of the committed tree into build/release; VERSION=, IMAGES= (architectures), BASE_IMAGE=, RELEASES= (URL)
	@MVN="$(MVN)" MVN_FLAGS="$(MVN_FLAGS)" BASE_IMAGE="$(BASE_IMAGE)" .ci/release "$(VERSION)"

run: build ## Start an embedded cluster with Berth on it; NODES=, PORT=, OUT= (its kubeconfig), GPUS= (cards of each node), AUTOSCALER=cluster|karpenter
	@$(ON_CLASSPATH) io.berth.demo.RunMain $(if $(GPUS),--gpus $(GPUS)) $(if $(AUTOSCALER),--autoscaler $(AUTOSCALER)) $(if $(NODES),--nodes $(NODES)) $(if $(PORT),--port $(PORT)) $(if $(OUT),--kubeconfig $(OUT))

demo: build ## Run the story by itself and print what happened
	@$(ON_CLASSPATH) io.berth.demo.DemoMain

test: jdk ## Build and test everything
	@$(MVN) $(MVN_FLAGS) verify

test-real: jdk ## Run the tests of real API servers on KUBECONFIG's, or on kube-apiserver and etcd in KUBE_API_TEST_DIR; SECONDS=, ROUNDS=
	@if [ -z "$$KUBECONFIG" ] && [ -z "$$KUBE_API_TEST_DIR" ]; then \
	  echo "test-real: skipped: set KUBECONFIG to a cluster, or KUBE_API_TEST_DIR to a folder with kube-apiserver and etcd"; \
	else \
	  $(MVN) $(MVN_FLAGS) verify -pl demo -am -Preal -Dtest.groups=real -Dtest.excluded.groups= $(if $(SECONDS),-Dberth.seconds=$(SECONDS)) $(if $(ROUNDS),-Dberth.rounds=$(ROUNDS)); \
	fi

history: build ## Disturb three Berths at work and judge the API server's history; SECONDS=, SEED=, HISTORY=FILE
	@$(ON_CLASSPATH) io.berth.demo.HistoryMain $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) $(if $(HISTORY),--check "$(HISTORY)")

simulate: build ## Run the leader's code on a virtual clock against simulated tenants and faults; STEPS=, SEED=, RECORD=DIR
	@$(ON_CLASSPATH) io.berth.demo.SimulateMain $(if $(STEPS),--steps $(STEPS)) $(if $(SEED),--seed $(SEED)) $(if $(RECORD),--record "$(RECORD)")

keep-recording: build ## Make a test of a recording, with other names and the decisions of this version; FROM=DIR, NAME=
	@if [ -z "$(FROM)" ] || [ -z "$(NAME)" ]; then echo "keep-recording: give FROM=DIR, a recording, and NAME=, a name for the test"; exit 2; fi
	@$(ON_CLASSPATH) io.berth.operator.command.BerthMain replay "$(FROM)" --rename operator/src/test/resources/recordings/$(NAME)

soak: build ## Let tenants and a nemesis work on three replicas and check Berth's promises; SECONDS=, SEED=
	@$(ON_CLASSPATH) io.berth.demo.SoakMain $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED))

test-upstream: ## Run Kubernetes' own e2e.test on an embedded cluster; E2E=FILE, FOCUS=, SKIP=, SCHEDULER=, NODES=
	@if [ -z "$(E2E)" ]; then \
	  echo "test-upstream: skipped: name the e2e.test binary of a Kubernetes release: make test-upstream E2E=FILE"; \
	else \
	  $(MAKE) -s build && $(ON_CLASSPATH) io.berth.demo.UpstreamMain --e2e "$(E2E)" $(if $(FOCUS),--focus '$(FOCUS)') $(if $(SKIP),--skip '$(SKIP)') $(if $(SCHEDULER),--scheduler $(SCHEDULER)) $(if $(NODES),--nodes $(NODES)); \
	fi

conformance: ## Compare the engine with recorded kube-scheduler verdicts; VECTORS=FILE
	@if [ ! -f "$(VECTORS)" ]; then echo "conformance: name the file of vectors: make conformance VECTORS=FILE" >&2; exit 2; fi
	@$(MAKE) -s build
	@$(ON_CLASSPATH) io.berth.benchmarks.ConformanceMain "$(VECTORS)"

bench: build ## Measure engine and webhook; writes build/bench.json, and without options the table of docs/scaling.md; WORKLOADS=NAME,NAME, SEED= (of what workloads draw)
	@mkdir -p build
	@$(JAVA) $(TOUCHED_HEAP) $(CLASSPATH_OPTION) io.berth.benchmarks.BenchMain --out build/bench.json $(if $(WORKLOADS)$(SEED),,--table docs/scaling.md) $(if $(WORKLOADS),--only $(WORKLOADS)) $(if $(SEED),--seed $(SEED))

bench-quality: build ## Measure how well policies use a cluster; writes build/bench-quality.json and docs/plots; SEED= (plots into build)
	@mkdir -p build
	@$(ON_CLASSPATH) io.berth.benchmarks.QualityMain --out build/bench-quality.json --plots $(if $(SEED),build --seed $(SEED),docs/plots)

bench-e2e: build ## Measure rate, delays and CPU time of a scheduler on an API server; writes build/bench-e2e.json; NODES=, PODS=, SECONDS=, CLAIMS= (devices of each node, one claimed by each pod), SCHEDULER=berth|bare|NAME, START=, JAR=, AOT=
	@$(ON_CLASSPATH) io.berth.demo.EndToEndBenchMain $(if $(NODES),--nodes $(NODES)) $(if $(PODS),--pods $(PODS)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(CLAIMS),--claims $(CLAIMS)) $(if $(SCHEDULER),--scheduler $(SCHEDULER)) $(if $(START),--start '$(START)') $(if $(JAR),--jar "$(JAR)") $(if $(AOT),--aot "$(AOT)")

bench-feed: build ## Measure memory, and time to lead, on a full cluster; writes build/bench-feed.json; NODES=, PODS=
	@mkdir -p build
	@"$(JDK)/bin/java" -Xmx8g --sun-misc-unsafe-memory-access=allow $(CLASSPATH_OPTION) io.berth.demo.FeedBenchMain $(if $(NODES),--nodes $(NODES)) $(if $(PODS),--pods $(PODS)) --out build/bench-feed.json

bench-recording: build ## Measure the cost of recording the engine; writes build/bench-recording.json; NODES=, PODS=, ROUNDS=
	@mkdir -p build
	@"$(JDK)/bin/java" -Xmx4g --sun-misc-unsafe-memory-access=allow $(CLASSPATH_OPTION) io.berth.demo.RecordingBenchMain $(if $(NODES),--nodes $(NODES)) $(if $(PODS),--pods $(PODS)) $(if $(ROUNDS),--rounds $(ROUNDS)) --out build/bench-recording.json

bench-failover: build ## Measure how long pods wait when the leader is killed or restarted, as bench-e2e; NODES=, PODS=, JAR=, AOT=
	@$(ON_CLASSPATH) io.berth.demo.FailoverBenchMain $(if $(NODES),--nodes $(NODES)) $(if $(PODS),--pods $(PODS)) $(if $(JAR),--jar "$(JAR)") $(if $(AOT),--jvm-option=-Xmx700m "--jvm-option=-XX:AOTCache=$(AOT)")

bench-gpu: ## Replay GPU traces, as cards and as claims; TRACES=DIR, SEEDS=, CLAIM_SEEDS=; writes build/bench-gpu.json
	@if [ ! -d "$(TRACES)" ]; then echo "bench-gpu: specify the folder of the openb traces: make bench-gpu TRACES=DIR" >&2; exit 2; fi
	@$(MAKE) -s build
	@mkdir -p build
	@$(ON_CLASSPATH) io.berth.benchmarks.gpu.GpuBenchMain --traces "$(TRACES)" $(if $(SEEDS),--seeds $(SEEDS)) $(if $(CLAIM_SEEDS),--claim-seeds $(CLAIM_SEEDS)) --out build/bench-gpu.json

fuzz: jdk ## Fuzz the template renderer and the argument parser, 5 minutes each or until a finding
	@grep -rlq '@FuzzTest' webhook/src/test || { echo "fuzz: there is no fuzz target under webhook/src/test" >&2; exit 1; }
	@for target in RendererFuzzTest ArgumentParserFuzzTest; do \
	  JAZZER_FUZZ=1 $(MVN) $(MVN_FLAGS) test -pl webhook -am -Dtest=$$target -Djazzer.hooks=true -Dsurefire.failIfNoSpecifiedTests=false || exit 1; \
	done

crds: jdk ## Generate the CRDs, deploy/berth.yaml and the API reference from the Java types
	@$(MVN) $(MVN_FLAGS) -q test-compile exec:exec@generate -Dskip.generate=false -pl crds

api-types: jdk ## Generate the embedded cluster's table of API types; KUBERNETES=CHECKOUT, RELEASE=v1.36.2
	@if [ -z "$(KUBERNETES)" ] || [ -z "$(RELEASE)" ]; then \
	  echo "api-types: name a checkout of Kubernetes and its release: make api-types KUBERNETES=DIR RELEASE=v1.36.2" >&2; exit 2; fi
	@$(MVN) $(MVN_FLAGS) -q test-compile -pl sandbox
	@$(JAVA) -cp sandbox/target/test-classes:sandbox/target/classes io.berth.sandbox.release.ApiTypesMain \
	  "$(KUBERNETES)/staging/src/k8s.io" $(RELEASE) sandbox/src/main/resources/io/berth/sandbox/release/api-types.txt

picture: build ## Draw docs/images/why-this-node.svg from a running Berth
	@$(ON_CLASSPATH) io.berth.demo.PictureMain

manifests: crds ## Render deploy/manifests and deploy/berth.yaml from the chart in deploy/chart
	@$(MVN) $(MVN_FLAGS) -q test-compile exec:exec@render -Dskip.render=false -pl demo -am
	@$(MVN) $(MVN_FLAGS) -q test-compile exec:exec@generate -Dskip.generate=false -pl crds

docs: crds ## Generate docs/api-reference.md (with the CRDs it follows from) and docs/metrics.md
	@$(MVN) $(MVN_FLAGS) -q test-compile exec:exec@metrics -Dskip.metrics=false -pl operator -am

format: jdk ## Format all Java sources
	@$(MVN) $(MVN_FLAGS) -q -N dependency:copy@google-java-format
	@find . -name '*.java' -not -path '*/target/*' > build/java-files.txt
	@$(JAVA) $(COMPILER_EXPORTS) -jar build/google-java-format.jar --replace @build/java-files.txt

COMPILER_EXPORTS = $(foreach package,api code file parser tree util,--add-exports=jdk.compiler/com.sun.tools.javac.$(package)=ALL-UNNAMED)

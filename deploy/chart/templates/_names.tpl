{{/* The image, by digest where one is given. */}}
{{- define "berth.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* Requests and limits: those of the cluster's size, unless resources gives others. */}}
{{- define "berth.resources" -}}
{{- if .Values.resources -}}
{{ toYaml .Values.resources }}
{{- else -}}
{{ toYaml (index .Values.resourcesBySize .Values.clusterSize) }}
{{- end -}}
{{- end }}

{{/* The features that are on, as `--enable` takes them. */}}
{{- define "berth.features" -}}
{{- $on := list -}}
{{- if .Values.hami.enabled }}{{ $on = append $on "hami" }}{{ end -}}
{{- if .Values.legacyBinding.enabled }}{{ $on = append $on "legacy-binding" }}{{ end -}}
{{- if .Values.otherQueues.enabled }}{{ $on = append $on "other-queues" }}{{ end -}}
{{- if .Values.queryApi.enabled }}{{ $on = append $on "query-api" }}{{ end -}}
{{- if .Values.repair.enabled }}{{ $on = append $on "repair" }}{{ end -}}
{{- if .Values.webhook.restore }}{{ $on = append $on "webhook-restore" }}{{ end -}}
{{- join "," $on -}}
{{- end }}

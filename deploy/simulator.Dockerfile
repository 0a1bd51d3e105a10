# The SES simulator for compose.evaluation.simulator.yaml and compose.production.simulator.yaml. It delivers no mail.
#
#   docker build -t postern-simulator -f deploy/simulator.Dockerfile ses-simulator      in the folder of the repository
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json ./
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund --no-package-lock
# A volume takes the owner of the folder that it covers.
RUN mkdir /data

FROM ${NODE_IMAGE}
WORKDIR /app
COPY --from=packages /app/ ./
COPY --from=packages --chown=1000:1000 /data/ /data/
COPY src/ src/
USER 1000:1000
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/src/main.ts", "--port=4579", "--data=/data"]

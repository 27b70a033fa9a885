-- One database a service: they share a server here and nothing else.
CREATE DATABASE shipments;
CREATE DATABASE tokens;
